import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Client } from "holdfast";
import { refusalOf } from "./refused-with.ts";
import { promise, promiseOnEveryStore } from "./with-client.ts";

/** Every kind of invalid value, with the reason and the pointer that the refusal must name. */
const badValues: readonly (readonly [name: string, value: unknown, reason: string, pointer: string])[] = [
  ["NaN", { a: [Number.NaN] }, "not_finite", "/value/a/0"],
  ["Infinity", { a: Infinity }, "not_finite", "/value/a"],
  ["minus zero", { a: -0 }, "negative_zero", "/value/a"],
  ["an unsafe integer", { a: 2 ** 53 }, "unsafe_integer", "/value/a"],
  ["a lone surrogate", { a: "\ud800" }, "lone_surrogate", "/value/a"],
  ["a NUL", { a: "x\0y" }, "nul_character", "/value/a"],
  ["a NUL in a name", { b: { "x\0": 1 } }, "nul_character", "/value/b"],
  ["__proto__", { b: Object.fromEntries([["__proto__", 1]]) }, "forbidden_key", "/value/b/__proto__"],
  ["a Date", { a: new Date(0) }, "not_plain", "/value/a"],
  ["a function", { a: () => 1 }, "unsupported_type", "/value/a"],
  ["a bigint", { a: 1n }, "unsupported_type", "/value/a"],
  ["a hole", { a: [undefined] }, "undefined_value", "/value/a/0"],
];

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

/** Runs the invalid command between two valid ones of the same batch. The valid ones must succeed. */
async function amongValidCommands(
  client: Client,
  bad: () => Promise<unknown>,
  id: string,
): Promise<Awaited<ReturnType<typeof refusalOf>>> {
  const before = client.entities.create("good", `${id} before`, { n: 1 });
  const refused = refusalOf(bad());
  const after = client.entities.create("good", `${id} after`, { n: 2 });
  assert.deepEqual([(await before).version, (await after).version], [1, 1]);
  return refused;
}

describe("bad input", () => {
  promiseOnEveryStore(
    "an invalid value is refused with its pointer, and changes neither the state nor the commands next to it",
    async (client) => {
      for (const [name, value, reason, pointer] of badValues) {
        const refused = await amongValidCommands(client, () => client.entities.create("bad", "1", value), name);
        assert.equal(refused.code, "input_malformed", name);
        assert.deepEqual([refused.data["reason"], refused.data["pointer"]], [reason, pointer], name);
        assert.match(refused.message, new RegExp(reason, "u"));
      }
      assert.deepEqual((await client.entities.list("bad")).items, []);
    },
  );

  promise("a value that is too deep, too large or has too many members is refused", async (client) => {
    const tooMuch: readonly (readonly [string, unknown, string])[] = [
      ["deep", nested(70), "too_deep"],
      ["large", "x".repeat(2 ** 20), "too_large"],
      ["many", Array.from({ length: 100_001 }, () => 0), "too_many"],
      ["deep beyond any stack", nested(5000), "too_deep"],
    ];
    for (const [name, value, reason] of tooMuch) {
      const refused = await amongValidCommands(client, () => client.entities.create("bad", "1", value), name);
      assert.deepEqual([refused.code, refused.data["reason"]], ["input_malformed", reason], name);
    }
  });

  promise("an input that violates its schema is refused with a pointer to every fault", async (client) => {
    const refused = await amongValidCommands(
      client,
      () => client.run("create-entity", { type: "Bad Type", id: "", vaule: 1 }),
      "x",
    );
    const issues = refused.data["issues"] as readonly { pointer: string; message: string }[];
    assert.equal(refused.code, "input_invalid");
    assert.deepEqual([...new Set(issues.map(({ pointer }) => pointer))].sort(), ["", "/id", "/type"]);
    assert.match(refused.message, /must not have vaule/);
  });

  promise("an unknown or internal operation is refused as unknown", async (client) => {
    for (const operation of ["", "drop-table", "raise-epoch", "__proto__", "toString"]) {
      assert.equal((await refusalOf(client.run(operation, {}))).code, "operation_unknown", operation);
    }
  });

  promise("a patch that would grow without bound is refused at once and changes nothing", async ({ entities }) => {
    await entities.create("document", "1", { a: "x".repeat(1000) });
    const patch = Array.from({ length: 24 }, (_, n) => ({ op: "copy" as const, from: "", path: `/c${String(n)}` }));
    const refused = await refusalOf(entities.patch("document", "1", { patch }));
    assert.equal(refused.code, "value_too_large");
    assert.equal((await entities.get("document", "1")).version, 1);
  });

  promise("a refusal of a patch names the step that failed and its pointer", async ({ entities }) => {
    await entities.create("document", "1", { a: 1 });
    const patch = [
      { op: "replace", path: "/a", value: 2 },
      { op: "remove", path: "/b" },
    ] as const;
    const refused = await refusalOf(entities.patch("document", "1", { patch }));
    assert.deepEqual([refused.code, refused.data["index"], refused.data["pointer"]], ["patch_failed", 1, "/b"]);
    assert.deepEqual((await entities.get("document", "1")).value, { a: 1 });
    const both = refusalOf(entities.patch("document", "1", { merge: {}, patch: [] }));
    assert.equal((await both).code, "input_invalid");
  });

  promise("an entity cannot grow beyond its size limit by many small patches", async ({ entities }) => {
    await entities.create("document", "1", {});
    const piece = "x".repeat(100_000);
    for (let n = 0; n < 10; n += 1) await entities.patch("document", "1", { merge: { [`f${String(n)}`]: piece } });
    const refused = await refusalOf(entities.patch("document", "1", { merge: { more: piece } }));
    assert.equal(refused.code, "value_too_large");
    // An overwritten value is not counted twice, and a patch that shrinks the entity succeeds.
    for (let n = 0; n < 12; n += 1) await entities.patch("document", "1", { merge: { f0: piece + String(n) } });
    await entities.patch("document", "1", { merge: { f1: null } });
    assert.equal((await entities.patch("document", "1", { merge: { more: piece } })).changed, true);
  });
});
