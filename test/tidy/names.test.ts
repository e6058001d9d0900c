import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import { assertEachCatchesItsExample, assertNone, linesWith, type Phrase } from "./phrases.ts";
import { projectFiles } from "./tree.ts";

/** Names that fit any content. */
const banned = ["util", "utils", "common", "helper", "helpers", "manager", "misc", "shared", "stuff", "lib"];
const barrels = ["sdk/src/index.ts", "sdk/src/contract/index.ts", "server/src/index.ts"];

const kebabCase = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/;
const code = projectFiles.filter(({ path }) => /\.(ts|js|sql)$/.test(path));
const inCode = (path: string): boolean => /^(sdk|server|test|bench|tools|dashboard)\//.test(path);

const exportStar: Phrase = {
  pattern: /^\s*export \*/,
  why: "name what you export, so that the public surface can be read",
  example: 'export * from "./engine.ts";',
};

const badParts = (path: string): readonly string[] =>
  path.split("/").filter((part) => banned.some((name) => part.split(/[.-]/).includes(name)));

test("files and folders of the code are named in kebab-case", () => {
  const parts = code.filter(({ path }) => inCode(path)).map(({ path }) => ({ path, names: path.split("/") }));
  assertNone(parts.filter(({ names }) => !names.every((name) => kebabCase.test(name))).map(({ path }) => path));
});

test("no file or folder has a name that fits anything", () => {
  assertNone(
    code.flatMap(({ path }) =>
      badParts(path).map((part) => `${path}: "${part}" could hold anything; name its one job`),
    ),
  );
});

test("only the three public surfaces are index files", () => {
  const indexes = code.map(({ path }) => path).filter((path) => basename(path) === "index.ts");
  assertNone(indexes.filter((path) => !barrels.includes(path)));
});

test("nothing is exported by star", () => {
  assertNone(linesWith([exportStar], code));
});

test("each rule about names catches its example", () => {
  assertEachCatchesItsExample([exportStar]);
  assert.deepEqual(badParts("server/src/lock-manager/string-utils.ts"), ["lock-manager", "string-utils.ts"]);
  assert.deepEqual(badParts("server/src/features/locks/rules/release-lock.ts"), []);
  for (const bad of ["acquireLock.ts", "Acquire.ts", "acquire_lock.ts"]) assert.doesNotMatch(bad, kebabCase);
});
