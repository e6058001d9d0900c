import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { open } from "holdfast";
import { refusalOf, refusedWith } from "./refused-with.ts";
import { promise, promiseOnEveryStore } from "./with-client.ts";

describe("idempotency keys", () => {
  promiseOnEveryStore(
    "a repeated idempotency key returns exactly the first result, marked as a replay, and runs nothing [M4]",
    async (client) => {
      const input = { type: "document", id: "1", value: { a: 1 } };
      const first = await client.execute("create-entity", input, { key: "k-1" });
      await client.entities.patch("document", "1", { merge: { a: 2 } });
      const cursor = await client.cursor();
      const again = await client.execute("create-entity", input, { key: "k-1" });
      assert.deepEqual({ ...again, replayed: false }, first);
      assert.equal(again.replayed, true);
      assert.equal(await client.cursor(), cursor, "a replay adds nothing to the journal");
    },
  );

  promise(
    "a repeated idempotency key replays a refusal, even if the command would succeed by then [M4]",
    async (client) => {
      const input = { type: "document", id: "1", merge: { a: 1 } };
      const first = await client.execute("patch-entity", input, { key: "k" });
      assert.deepEqual(first.outcome.kind === "refusal" && first.outcome.code, "entity_not_found");
      await client.entities.create("document", "1", {});
      const again = await client.execute("patch-entity", input, { key: "k" });
      assert.deepEqual({ ...again, replayed: false }, first);
    },
  );

  promise("an input that is invalid in every state does not consume its idempotency key [M4]", async (client) => {
    await client.entities.create("document", "1", { a: 1 });
    const target = { type: "document", id: "1" };
    const owner = { owner_id: "ann" };
    const corrected: readonly (readonly [string, object, object])[] = [
      ["patch-entity", target, { ...target, merge: { a: 2 } }],
      ["acquire-lock", { ...owner, paths: ["x/"], ttl_seconds: 9 }, { ...owner, paths: ["x"], ttl_seconds: 9 }],
      ["acquire-lock", { ...owner, paths: ["y"] }, { ...owner, paths: ["y"], ttl_seconds: 9 }],
      ["release-lock", owner, { ...owner, paths: ["y"] }],
    ];
    for (const [index, [operation, wrong, right]] of corrected.entries()) {
      const key = `k-${index}`;
      const cursor = await client.cursor();
      const refused = await client.execute(operation, wrong, { key });
      assert.match(String(refused.outcome.kind === "refusal" && refused.outcome.code), /^(input|path)_invalid$/u);
      assert.equal(await client.cursor(), cursor, "the refused input leaves no entry");
      const done = await client.execute(operation, right, { key });
      assert.deepEqual([done.outcome.kind, done.replayed], ["done", false], operation);
    }
  });

  promise(
    "many concurrent uses of one idempotency key run the command once and get equal answers [M4]",
    async (client) => {
      await client.entities.create("counter", "1", { list: [] });
      const input = { type: "counter", id: "1", patch: [{ op: "add", path: "/list/-", value: 1 }] };
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => client.execute("patch-entity", input, { key: "k" })),
      );
      assert.equal(replies.filter(({ replayed }) => !replayed).length, 1);
      for (const reply of replies) assert.deepEqual({ ...reply, replayed: false }, { ...replies[0], replayed: false });
      assert.deepEqual((await client.entities.get("counter", "1")).value, { list: [1] });
    },
  );

  promise(
    "an idempotency key with another request is refused without revealing the first request [M4]",
    async ({ entities }) => {
      await entities.create("document", "1", { secret: 1 }, { key: "k" });
      const refused = await refusalOf(entities.create("document", "2", { other: 1 }, { key: "k" }));
      assert.equal(refused.code, "idempotency_replay_conflict");
      assert.ok(!JSON.stringify(refused.data).includes("secret"));
      await assert.rejects(entities.get("document", "2"), refusedWith("entity_not_found"));
    },
  );

  promise(
    "an idempotency key ignores the order of members, and can be used again for another operation [M4]",
    async (client) => {
      await client.execute("create-entity", { type: "document", id: "1", value: { a: 1, b: 2 } }, { key: "k" });
      const again = await client.execute(
        "create-entity",
        { value: { b: 2, a: 1 }, id: "1", type: "document" },
        { key: "k" },
      );
      assert.equal(again.replayed, true);
      const deleted = await client.execute("delete-entity", { type: "document", id: "1" }, { key: "k" });
      assert.deepEqual([deleted.replayed, deleted.outcome.kind], [false, "done"]);
    },
  );

  promise(
    "an input that violates its schema does not consume its idempotency key, so the corrected request can use it [M4]",
    async (client) => {
      const bad = await client.execute("create-entity", { type: "document", id: "1" }, { key: "k" });
      assert.equal(bad.outcome.kind === "refusal" && bad.outcome.code, "input_invalid");
      const good = await client.execute("create-entity", { type: "document", id: "1", value: 1 }, { key: "k" });
      assert.deepEqual([good.outcome.kind, good.replayed], ["done", false]);
    },
  );

  promise("an idempotency key must have 1 to 255 printable ASCII characters [M4]", async ({ entities }) => {
    for (const key of ["", "x".repeat(256), "ä", "a\nb", 'a"b', "a\\b"]) {
      await assert.rejects(entities.create("document", "1", {}, { key }), refusedWith("idempotency_key_invalid"));
    }
    assert.equal((await entities.create("document", "1", {}, { key: "x".repeat(255) })).version, 1);
  });

  test("an idempotency key returns the same answer after a restart [M4]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-"));
    const input = { type: "document", id: "1", merge: { a: 2 } };
    try {
      const before = await open(folder);
      await before.entities.create("document", "1", { a: 1 });
      const first = await before.execute("patch-entity", input, { key: "k" });
      await before.entities.delete("document", "1");
      await before.close();
      await using after = await open(folder);
      const again = await after.execute("patch-entity", input, { key: "k" });
      assert.deepEqual({ ...again, replayed: false }, first);
      assert.equal(again.replayed, true);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
