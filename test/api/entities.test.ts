import assert from "node:assert/strict";
import { describe } from "node:test";
import { refusedWith } from "./refused-with.ts";
import { promise, promiseOnEveryStore } from "./with-client.ts";

describe("entities", () => {
  promiseOnEveryStore("a version is 1 at creation and grows by one with each change [M5]", async ({ entities }) => {
    assert.equal((await entities.create("document", "1", { a: 1 })).version, 1);
    assert.equal((await entities.patch("document", "1", { merge: { a: 2 } })).version, 2);
    assert.equal((await entities.patch("document", "1", { patch: [{ op: "add", path: "/b", value: 1 }] })).version, 3);
    assert.equal((await entities.replace("document", "1", { c: 1 })).version, 4);
    assert.equal((await entities.delete("document", "1")).version, 5);
  });

  promise("a deleted entity that is created again continues its version count [M5]", async ({ entities }) => {
    await entities.create("document", "1", { a: 1 });
    await entities.delete("document", "1");
    await assert.rejects(entities.get("document", "1"), refusedWith("entity_deleted"));
    const again = await entities.create("document", "1", { a: 2 }, { expectedVersion: 0 });
    assert.equal(again.version, 3);
    assert.equal(again.previousRevision, null);
    assert.equal((await entities.get("document", "1")).version, 3, "a read has the version of the answer");
  });

  promise("no input can set a version [M5]", async (client) => {
    const input = { type: "document", id: "1", value: {}, version: 7 };
    await assert.rejects(client.run("create-entity", input), refusedWith("input_invalid"));
    const { version } = await client.entities.create("document", "1", { version: 7 });
    assert.equal(version, 1);
  });

  promise(
    "a command with expected_version 0 creates an entity only if it is absent, also for a kind [M5]",
    async ({ entities }) => {
      await entities.create("ticket", "1", { title: "a", status: "open" }, { expectedVersion: 0 });
      const again = entities.create("ticket", "1", { title: "b", status: "open" }, { expectedVersion: 0 });
      await assert.rejects(again, refusedWith("concurrency_mismatch"));
      await assert.rejects(
        entities.create("ticket", "1", { title: "b", status: "open" }),
        refusedWith("entity_exists"),
      );
    },
  );

  promise("a command without expected_version runs with no concurrency guarantee [M1]", async ({ entities }) => {
    await entities.create("document", "1", { n: 0 });
    await Promise.all(Array.from({ length: 20 }, (_, n) => entities.patch("document", "1", { merge: { n: n + 1 } })));
    assert.equal((await entities.get("document", "1")).version, 21);
  });

  promise(
    "exactly one of many concurrent commands with the same expected_version succeeds [M1]",
    async ({ entities }) => {
      await entities.create("document", "1", { n: 0 });
      const creates = Array.from({ length: 32 }, (_, n) =>
        entities.patch("document", "1", { merge: { n: n + 1 } }, { expectedVersion: 1 }),
      );
      const results = await Promise.allSettled(creates);
      assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
      assert.equal((await entities.get("document", "1")).version, 2);
      const { items } = await entities.history("document", "1");
      assert.equal(items.filter(({ event }) => event === "evt.document.conflict").length, 31);
    },
  );

  promise(
    "a write returns the new entity, and its revision can be used for the next write [M1]",
    async ({ entities }) => {
      const created = await entities.create("document", "1", { a: 1 });
      const patched = await entities.patch(
        "document",
        "1",
        { merge: { b: 2 } },
        { expectedRevision: created.revision },
      );
      assert.deepEqual(patched.value, { a: 1, b: 2 });
      assert.equal(patched.previousRevision, created.revision);
      assert.deepEqual(patched.changedBy, { principal: "alice" });
      const { changed: _changed, previousRevision: _previous, ...entity } = patched;
      assert.deepEqual(await entities.get("document", "1"), entity);
      const stale = entities.replace("document", "1", {}, { expectedRevision: created.revision });
      await assert.rejects(stale, refusedWith("concurrency_mismatch"));
    },
  );

  promise(
    "an update that changes nothing keeps version and revision, and leaves no entry",
    async ({ entities, cursor }) => {
      const created = await entities.create("document", "1", { a: { b: 1, c: 2 } });
      const before = await cursor();
      for (const write of [
        await entities.replace("document", "1", { a: { c: 2, b: 1 } }),
        await entities.patch("document", "1", { merge: { a: { b: 1 } } }),
        await entities.patch("document", "1", { patch: [{ op: "test", path: "/a/b", value: 1 }] }),
        await entities.patch("document", "1", { patch: [{ op: "replace", path: "/a", value: { c: 2, b: 1 } }] }),
        await entities.patch("document", "1", { patch: [{ op: "replace", path: "", value: { a: { b: 1, c: 2 } } }] }),
        await entities.patch("document", "1", {
          patch: [
            { op: "add", path: "/x", value: 1 },
            { op: "remove", path: "/x" },
          ],
        }),
      ]) {
        assert.deepEqual([write.changed, write.version, write.revision], [false, 1, created.revision]);
      }
      assert.equal(await cursor(), before);
    },
  );

  promise("every version of an entity can be read after any number of changes", async ({ entities }) => {
    await entities.create("document", "1", { n: 1, big: "x".repeat(100) });
    for (let n = 2; n <= 200; n += 1) await entities.patch("document", "1", { merge: { n } });
    for (const version of [1, 2, 63, 64, 65, 127, 128, 150, 200]) {
      const { value, version: found } = await entities.get("document", "1", { version });
      assert.deepEqual([found, value], [version, { n: version, big: "x".repeat(100) }]);
    }
    await assert.rejects(entities.get("document", "1", { version: 201 }), refusedWith("version_not_found"));
  });

  promise("a change to a returned value does not change the stored entity", async ({ entities }) => {
    const value = { list: [1] };
    const created = await entities.create("document", "1", value);
    value.list.push(2);
    (created.value as { list: number[] }).list.push(3);
    ((await entities.get("document", "1")).value as { list: number[] }).list.push(4);
    assert.deepEqual((await entities.get("document", "1")).value, { list: [1] });
  });

  promise("a list is ordered by id and continues after the last item of a page", async ({ entities }) => {
    for (const id of ["b", "a", "c/1", "c", "ä", "Z"]) await entities.create("document", id, {});
    await entities.create("documents", "x", {});
    await entities.delete("document", "a");
    const first = await entities.list("document", { limit: 3 });
    assert.deepEqual([first.items.map(({ id }) => id), first.next], [["Z", "b", "c"], "c"]);
    const second = await entities.list("document", { after: "c", limit: 3 });
    assert.deepEqual([second.items.map(({ id }) => id), second.next], [["c/1", "ä"], null]);
  });

  promise("the history of an entity is newest first, in pages, with the actor of each change", async ({ entities }) => {
    await entities.create("document", "1", { n: 0 });
    for (let n = 1; n < 5; n += 1) await entities.patch("document", "1", { merge: { n } });
    const first = await entities.history("document", "1", { limit: 3 });
    assert.deepEqual(
      first.items.map(({ version }) => version),
      [5, 4, 3],
    );
    const rest = await entities.history("document", "1", { before: first.next ?? 0 });
    assert.deepEqual(
      rest.items.map(({ version, event, by }) => [version, event, by.principal]),
      [
        [2, "evt.document.changed", "alice"],
        [1, "evt.document.created", "alice"],
      ],
    );
    await assert.rejects(entities.history("document", "2"), refusedWith("entity_not_found"));
  });
});
