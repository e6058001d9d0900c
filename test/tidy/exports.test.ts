import assert from "node:assert/strict";
import { test } from "node:test";
import { allOperations } from "@holdfast/sdk/contract";
import { filesOfGuide } from "../ground/files-of-guide.ts";
import { exportsOf, repeatedFunctions, unusedExports } from "./exported-names.ts";
import { assertNone } from "./phrases.ts";
import { filesUnder, projectFiles } from "./tree.ts";

const surfaces = ["sdk/src/index.ts", "sdk/src/contract/index.ts", "server/src/index.ts"];
const sources = [...filesUnder("sdk/src", ".ts"), ...filesUnder("server/src", ".ts")].filter(
  ({ path }) => !surfaces.includes(path),
);

/** Names that several files may export, because the files are variants of one part. */
const excused: readonly { readonly reason: string; readonly isExcused: (name: string, path: string) => boolean }[] = [
  {
    reason: "The journals have the same files with the same functions.",
    isExcused: (_name, path) => /^server\/src\/journal\/(memory|sqlite|postgres)\//u.test(path),
  },
  {
    reason: "A thread loads the module of a check by its URL, and calls this function.",
    isExcused: (name, path) => name === "createCheckWork" && path.endsWith("-worker.ts"),
  },
  {
    reason: "A browser loads another file than Node, with the same functions.",
    isExcused: (_name, path) => /^sdk\/src\/.*\.(node|browser)\.ts$/u.test(path),
  },
  {
    reason: "An operation has one name in the client, in its feature and in its hook.",
    isExcused: (name, path) =>
      operationNames.has(name) && /^(sdk\/src\/client|server\/src\/(features|app\/calls\/hooks))\//u.test(path),
  },
];

const operationNames = new Set(
  Object.keys(allOperations).map((name) => name.replaceAll(/-(\w)/gu, (_dash, letter: string) => letter.toUpperCase())),
);

const isExcused = (name: string, path: string): boolean => excused.some((each) => each.isExcused(name, path));

test("each function is exported by one file", () => {
  assertNone(
    [...repeatedFunctions(sources)]
      .filter(([name, paths]) => paths.filter((path) => !isExcused(name, path)).length > 0)
      .map(([name, paths]) => `${name} is exported by ${paths.join(" and ")}: keep one, or name what differs`),
  );
});

/**
 * An import by a test, a benchmark or a tool counts as a use: some functions are exported to be tested alone. So does an
 * import by the pack of the guide, which a test runs.
 */
test("no export is unused, except on the public surfaces", () => {
  const ofGuide = [...filesOfGuide("docs/guides/add-a-pack.md")].map(([path, text]) => ({ path, text }));
  const users = [...projectFiles.filter(({ path }) => /\.(ts|js|md)$/u.test(path)), ...ofGuide];
  assertNone(
    unusedExports(sources, users)
      // The thread of checks imports its modules by URL.
      .filter(({ name }) => name !== "createCheckWork")
      .map(({ path, name }) => `${path} exports ${name}, which no other file imports`),
  );
});

test("the rules about exports catch their examples", () => {
  const one = { path: "server/src/base/one.ts", text: "export function twice() {}\nexport const alone = 1;\n" };
  const two = { path: "server/src/base/two.ts", text: 'import type { alone } from "./one.ts";\n' };
  const three = { path: "server/src/base/three.ts", text: "export const twice = (a: number): number => a;\n" };
  assert.deepEqual(
    exportsOf(one).map(({ name, isFunction }) => [name, isFunction]),
    [
      ["twice", true],
      ["alone", false],
    ],
  );
  assert.deepEqual(
    unusedExports([one, three], [one, two, three]).map(({ path, name }) => `${path} ${name}`),
    ["server/src/base/one.ts twice", "server/src/base/three.ts twice"],
  );
  assert.deepEqual([...repeatedFunctions([one, two, three])], [["twice", [one.path, three.path]]]);
});

test("an export that is imported by a package name, as a whole or over an import map is used", () => {
  const file = { path: "sdk/src/base/pause.ts", text: "export function pause() {}\n" };
  const host = { path: "sdk/src/client/environment/host.node.ts", text: "export function hostName() {}\n" };
  const by = (path: string, text: string) => [{ path, text }];
  for (const text of [
    'import { pause } from "@holdfast/sdk/base/pause";',
    'const { pause } = await import("@holdfast/sdk/base/pause");',
    'import * as all from "@holdfast/sdk/base/pause";',
    'import {\n  type other,\n  pause as wait,\n} from "@holdfast/sdk/base/pause";',
  ])
    assert.deepEqual(unusedExports([file], by("server/src/doors/x.ts", text)), [], text);
  assert.deepEqual(unusedExports([host], by("sdk/src/client/client.ts", 'import { hostName } from "#host";')), []);
});
