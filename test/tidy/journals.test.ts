import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNone } from "./phrases.ts";
import { filesUnder } from "./tree.ts";

const journals = ["memory", "sqlite", "postgres"];

/** Files that one journal has and another can not have. Each needs its reason. */
const differences: readonly { readonly file: string; readonly only: readonly string[]; readonly reason: string }[] = [];

const namesIn = (journal: string): readonly string[] => {
  const folder = `server/src/journal/${journal}`;
  return filesUnder(folder, ".ts").map(({ path }) => path.slice(folder.length + 1));
};

const isExcused = (journal: string, file: string): boolean =>
  differences.some((each) => each.file === file && !each.only.includes(journal));

test("whoever knows one journal finds the same file names in the others", () => {
  const present = journals
    .map((journal) => ({ journal, names: namesIn(journal) }))
    .filter(({ names }) => names.length > 0);
  assert.ok(present.length > 0, "there is no journal");
  const all = new Set(present.flatMap(({ names }) => names));
  assertNone(
    present.flatMap(({ journal, names }) =>
      [...all]
        .filter((file) => !names.includes(file) && !isExcused(journal, file))
        .map((file) => `server/src/journal/${journal} has no ${file}`),
    ),
  );
});
