import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { test } from "node:test";
import { allOperations, events, problems } from "@holdfast/sdk/contract";
import { referencePages } from "../../tools/make-reference.ts";
import { fieldTable } from "../../tools/reference-fields.ts";
import { root } from "./tree.ts";

test("the reference pages match the contract", async () => {
  for (const [path, text] of await referencePages()) {
    const name = relative(root, path);
    assert.ok(readFileSync(path, "utf8") === text, `${name} is not up to date: run node tools/make-reference.ts`);
  }
});

test("the reference pages list every operation, problem and event", async () => {
  const pages = [...(await referencePages()).values()].join("\n");
  const internal = Object.values(allOperations).filter(({ kind }) => kind === "internal");
  for (const { name } of internal) assert.ok(pages.includes(`- \`${name}\`:`), name);
  const others = Object.values(allOperations).filter(({ kind }) => kind !== "internal");
  const names = [...others.map(({ name }) => name), ...Object.keys(problems), ...Object.keys(events)];
  for (const name of names) assert.ok(pages.includes(`\n## ${name}\n`), name);
});

test("a table of members shows the members of lists and objects, and marks optional ones", () => {
  const inner = { type: "object", properties: { b: { type: "integer", minimum: 1 } }, required: ["b"] };
  const a = { type: "array", items: inner, maxItems: 5, description: "Some | more." };
  const table = fieldTable({ type: "object", properties: { a, c: { enum: ["x", "y"] } }, required: ["a"] });
  assert.deepEqual(table.split("\n").slice(2), [
    "| `a` | list of object, up to 5 | yes | Some \\| more. |",
    "| `a[].b` | integer from 1 | yes |  |",
    "| `c` | `x`, `y` |  |  |",
  ]);
});
