/** Input arrives unchanged or is not sent. The faults and their pointers are the same as in process. */
import assert from "node:assert/strict";
import type { Client, CallReply } from "holdfast";
import { onEveryTransport } from "./every-transport.ts";

const cycle: unknown[] = [];
cycle.push({ again: cycle });

const bad: readonly (readonly [value: unknown, reason: string, pointer: string])[] = [
  [NaN, "not_finite", "/value"],
  [{ a: [1, Infinity] }, "not_finite", "/value/a/1"],
  [{ a: -Infinity }, "not_finite", "/value/a"],
  [[-0], "negative_zero", "/value/0"],
  [[1, undefined], "undefined_value", "/value/1"],
  [[1, , 3], "undefined_value", "/value/1"],
  [{ "a/b~c": 2 ** 53 }, "unsafe_integer", "/value/a~1b~0c"],
  ["\ud800", "lone_surrogate", "/value"],
  [{ "\udc00": 1 }, "lone_surrogate", "/value"],
  ["a\0b", "nul_character", "/value"],
  [{ at: new Date(0) }, "not_plain", "/value/at"],
  [new Map(), "not_plain", "/value"],
  [{ toJSON: () => "lost" }, "unsupported_type", "/value/toJSON"],
  [10n, "unsupported_type", "/value"],
  [JSON.parse('{"__proto__":1}'), "forbidden_key", "/value/__proto__"],
  [{ ["n".repeat(1_025)]: 1 }, "name_too_long", "/value"],
  ["x".repeat(1_048_577), "too_large", ""],
  ["\u0001".repeat(200_000), "too_large", ""],
  [Array.from({ length: 100_001 }, () => 0), "too_many", "/value/99997"],
];

onEveryTransport(
  "an input that JSON would change is refused with its pointer, and nothing is sent [P9]",
  async (client: Client) => {
    const cursor = await client.cursor();
    const create = (value: unknown): Promise<CallReply> =>
      client.execute("create-entity", { type: "plan", id: "1", value });
    for (const [value, reason, pointer] of bad) {
      const { outcome } = await create(value);
      assert.equal(outcome.kind === "refusal" && outcome.code, "input_malformed", reason);
      assert.deepEqual(outcome.data, { reason, pointer });
    }
    const deep = (await create(cycle)).outcome.data as { reason: string; pointer: string };
    assert.deepEqual([deep.reason, deep.pointer.slice(0, 21)], ["too_deep", "/value/0/again/0/agai"]);
    assert.equal(await client.cursor(), cursor);
    // An undefined member counts as absent, as everywhere in JavaScript.
    assert.deepEqual((await client.entities.create("plan", "1", { a: undefined, b: 1 })).value, { b: 1 });
  },
);

onEveryTransport(
  "names and texts are returned exactly as they were written, with any characters",
  async (client: Client) => {
    const value = { q: 1, "a\n": 2, 'b"': { "\u2028": "\u2029", "\\": "\\" }, "": "🙂" };
    await client.entities.create("plan", "warm", { q: 1, "a\\": 2 });
    await client.entities.create("plan", "1", value);
    assert.deepEqual((await client.entities.get("plan", "1")).value, value);
    for await (const { data, subject } of client.watch({ after: "1.0" })) {
      if (subject !== "plan/1") continue;
      assert.deepEqual((data as { value: unknown }).value, value);
      break;
    }
  },
);
