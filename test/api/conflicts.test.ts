import assert from "node:assert/strict";
import { describe } from "node:test";
import { refusalOf, refusedWith } from "./refused-with.ts";
import { promise, promiseOnEveryStore } from "./with-client.ts";

interface Change {
  readonly pointer: string;
  readonly [fact: string]: unknown;
}

function changesOf(data: Readonly<Record<string, unknown>>): Record<string, Change> {
  return Object.fromEntries((data["changes"] as readonly Change[]).map((change) => [change.pointer, change]));
}

describe("version conflicts", () => {
  promiseOnEveryStore(
    "a version conflict is refused, changes nothing, and is recorded with exactly four fields [M2]",
    async (client) => {
      const { entities } = client;
      await entities.create("document", "1", { a: 1 });
      await entities.patch("document", "1", { merge: { a: 2 } });
      const reply = await client.execute("replace-entity", {
        type: "document",
        id: "1",
        value: {},
        expected_version: 1,
      });
      assert.equal(reply.outcome.kind, "refusal");
      const conflict = {
        entity_id: "1",
        expected_version: 1,
        current_version: 2,
        reason: "Optimistic locking failure: version mismatch",
      };
      assert.deepEqual(reply.events, [{ name: "evt.document.conflict", subject: "document/1", data: conflict }]);
      const entity = await entities.get("document", "1");
      assert.deepEqual([entity.version, entity.value], [2, { a: 2 }]);
      const [latest] = (await entities.history("document", "1")).items;
      assert.deepEqual(
        [latest?.event, latest?.position, latest?.data],
        ["evt.document.conflict", reply.position, conflict],
      );
      // A conflict does not advance the version, so the next change makes version 3.
      assert.equal((await entities.patch("document", "1", { merge: { a: 3 } }, { expectedVersion: 2 })).version, 3);
    },
  );

  promise("a version conflict is published to watches [M2]", async ({ entities, watch }) => {
    await entities.create("document", "1", {});
    const events = watch({ names: ["evt.document.conflict"] });
    await refusalOf(entities.delete("document", "1", { expectedVersion: 4 }));
    const { value: event } = (await events.next()) as { value: { subject: string; data: unknown } };
    assert.deepEqual([event.subject, (event.data as { expected_version: number }).expected_version], ["document/1", 4]);
    await events.return?.();
  });

  promise("a version conflict on an absent entity reports current version 0 [M2]", async ({ entities }) => {
    const never = await refusalOf(entities.patch("document", "1", { merge: {} }, { expectedVersion: 3 }));
    assert.deepEqual([never.code, never.data["currentVersion"]], ["concurrency_mismatch", 0]);
    await entities.create("document", "1", { a: 1 });
    await entities.delete("document", "1");
    const gone = await refusalOf(entities.patch("document", "1", { merge: {} }, { expectedVersion: 1 }));
    assert.deepEqual(
      [gone.code, gone.data["currentVersion"], gone.data["currentRevision"]],
      ["concurrency_mismatch", 0, null],
    );
    assert.deepEqual(changesOf(gone.data)[""]?.["before"], { a: 1 });
  });

  promise(
    "a version conflict reports the value read, the value sent, the current value, and the author and time of the change [X4]",
    async ({ entities }) => {
      const base = { title: "old", status: "open", tags: ["a", "b"], owner: { name: "x" } };
      await entities.create("document", "1", base);
      await entities.patch("document", "1", { merge: { status: "review" } });
      const titled = await entities.patch("document", "1", { merge: { title: "new", owner: { name: "y" } } });
      await entities.patch("document", "1", { patch: [{ op: "add", path: "/tags/0", value: "first" }] });
      const refused = await refusalOf(
        entities.patch("document", "1", { merge: { title: "mine", owner: { mail: "m" } } }, { expectedVersion: 1 }),
      );
      const changes = changesOf(refused.data);
      assert.deepEqual(Object.keys(changes), ["/owner/name", "/status", "/tags/0", "/title"]);
      assert.deepEqual(changes["/title"], {
        pointer: "/title",
        before: "old",
        after: "new",
        yours: "mine",
        overlapsYours: true,
        version: 3,
        changedBy: { principal: "alice" },
        changedAt: titled.changedAt,
        position: titled.position,
      });
      assert.deepEqual([changes["/status"]?.["overlapsYours"], changes["/status"]?.["version"]], [false, 2]);
      assert.equal(changes["/owner/name"]?.["overlapsYours"], false);
      assert.equal(refused.data["truncated"], false);
    },
  );

  promise(
    "a version conflict that is replayed under its key gives the same explanation after later changes [X4 M4]",
    async (client) => {
      const { entities } = client;
      await entities.create("document", "1", { n: 1 });
      await entities.patch("document", "1", { merge: { n: 2 } });
      const input = { type: "document", id: "1", merge: { n: 9 }, expected_version: 1 };
      const first = await client.execute("patch-entity", input, { key: "k" });
      for (let n = 3; n < 80; n += 1) await entities.patch("document", "1", { merge: { n, more: n } });
      await entities.delete("document", "1");
      const again = await client.execute("patch-entity", input, { key: "k" });
      assert.deepEqual({ ...again, replayed: false }, first);
      assert.equal(again.replayed, true);
    },
  );

  promise(
    "a conflict with a version that never existed reports that the version is unknown [X4]",
    async ({ entities }) => {
      await entities.create("document", "1", { a: 1 });
      const refused = await refusalOf(entities.replace("document", "1", {}, { expectedVersion: 9 }));
      assert.equal(refused.data["changes"], null);
      assert.match(String(refused.data["changesReason"]), /version 9/);
    },
  );

  promise("a version conflict explains a large difference in an answer of bounded size [X4]", async ({ entities }) => {
    const many = (prefix: string): object =>
      Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`f${String(n)}`, prefix]));
    await entities.create("document", "1", many("a"));
    await entities.replace("document", "1", many("b"));
    const refused = await refusalOf(entities.patch("document", "1", { merge: { x: 1 } }, { expectedVersion: 1 }));
    assert.equal(refused.data["truncated"], true);
    assert.ok((refused.data["changes"] as unknown[]).length <= 50);
    assert.ok(JSON.stringify(refused.data).length < 64 * 1024);
  });

  promise(
    "a change of other fields than the named ones is not a conflict, so disjoint edits need no retry [M1]",
    async ({ entities }) => {
      await entities.create("document", "1", { status: "open", title: "a", notes: [] });
      await entities.patch("document", "1", { merge: { title: "b" } });
      const options = { expectedVersion: 1, ifUnchanged: ["/status", "/missing"] };
      const patched = await entities.patch("document", "1", { merge: { status: "closed" } }, options);
      assert.deepEqual(patched.value, { status: "closed", title: "b", notes: [] });
      const again = entities.patch("document", "1", { merge: { status: "open" } }, options);
      await assert.rejects(again, refusedWith("concurrency_mismatch"));
    },
  );

  promise("a command can require the value of a field without naming a version", async ({ entities }) => {
    await entities.create("document", "1", { status: "open" });
    const close = (value: string): Promise<unknown> =>
      entities.patch(
        "document",
        "1",
        { merge: { status: "closed" } },
        { ifUnchanged: [{ pointer: "/status", value }] },
      );
    await close("open");
    const refused = await refusalOf(close("open"));
    assert.deepEqual([refused.code, refused.data["pointers"]], ["field_changed", ["/status"]]);
    const absent = entities.patch("document", "1", { merge: { a: 1 } }, { ifUnchanged: [{ pointer: "/status" }] });
    await assert.rejects(absent, refusedWith("field_changed"));
    const baseless = entities.patch("document", "1", { merge: { a: 1 } }, { ifUnchanged: ["/status"] });
    await assert.rejects(baseless, refusedWith("input_invalid"));
  });
});
