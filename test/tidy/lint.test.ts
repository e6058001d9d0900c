import assert from "node:assert/strict";
import { test } from "node:test";
import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { root } from "./tree.ts";

/** Without types: the planted files do not exist, and these rules do not need any. */
const eslint = new ESLint({ cwd: root, overrideConfig: [tseslint.configs.disableTypeChecked] });

async function isRefused(file: string, code: string): Promise<boolean> {
  const results = await eslint.lintText(`${code}\n`, { filePath: file });
  return results.flatMap(({ messages }) => messages).some(({ ruleId }) => ruleId?.startsWith("no-restricted-"));
}

const clocks = [
  "export const now = Date.now();",
  "export const now = new Date();",
  "export const random = Math.random();",
  "export const now = performance.now();",
  "setTimeout(run, 1);",
  "setInterval(run, 1);",
  "setImmediate(run);",
  'import { randomUUID } from "node:crypto";',
  'import { setTimeout } from "node:timers/promises";',
];

const impure = [
  "export const pid = process.pid;",
  "export const id = crypto.randomUUID();",
  "export const format = new Intl.NumberFormat();",
  "export const text = (5).toLocaleString();",
  'export const order = "a".localeCompare("b");',
  "export const hour = new Date(5).getHours();",
  "export async function wait() {}",
  "export const later = Promise.resolve(1);",
  "export type Later = Promise<number>;",
  'import { readFileSync } from "node:fs";',
];

const pureFiles = ["sdk/src/json", "server/src/machine", "server/src/features/locks", "server/src/packs/planning"].map(
  (folder) => `${folder}/planted.ts`,
);
const timelessFiles = [
  "server/src/engine/planted.ts",
  "server/src/journal/sqlite/planted.ts",
  "sdk/src/contract/planted.ts",
];

async function assertAll(files: readonly string[], lines: readonly string[], refused: boolean): Promise<void> {
  for (const file of files) {
    for (const line of lines) assert.equal(await isRefused(file, line), refused, `${file}: ${line}`);
  }
}

test("the linter refuses clocks and randomness in every folder except base", async () => {
  await assertAll([...pureFiles, ...timelessFiles], clocks, true);
  await assertAll(["server/src/base/planted.ts"], clocks, false);
});

test("the linter refuses host-dependent code in the pure folders", async () => {
  await assertAll(pureFiles, impure, true);
  await assertAll(pureFiles, ["export const text = new Date(5).toISOString();"], false);
});

test("the linter refuses members that a condition spreads into an object of a source", async () => {
  const spread = [
    "export const some = { ...(value === undefined ? {} : { value }) };",
    "export const some = { ...(isKnown ? { value: 1 } : {}) };",
    "export const some = { ...(value !== null && { value }) };",
  ];
  await assertAll([...pureFiles, ...timelessFiles], spread, true);
  await assertAll(pureFiles, ["export const some = { ...(isKnown ? first : second) };"], false);
});

test("the linter refuses an object whose only member is left out if it is undefined", async () => {
  const spelled = ["export const some = value === undefined ? {} : { value };"];
  await assertAll([...pureFiles, "test/planted.ts"], spelled, true);
  const others = ["value === undefined ? {} : { value: value + 1 }", 'kind === "none" ? {} : { value }'];
  await assertAll(
    ["test/planted.ts"],
    others.map((text) => `export const some = ${text};`),
    false,
  );
});

test("the linter refuses default exports", async () => {
  await assertAll([...pureFiles, ...timelessFiles, "test/planted.ts"], ["export default 5;"], true);
});
