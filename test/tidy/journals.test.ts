import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNone } from "./phrases.ts";
import { filesUnder } from "./tree.ts";

/** The durable journals have the same file names. They also have each file of the memory journal. */
const durable = ["sqlite", "postgres"];

/** Files that one journal has and another cannot have. Each needs its reason. Sub-folders are not compared. */
const reasons: readonly { readonly only: string; readonly reason: string; readonly files: string }[] = [
  { only: "memory", reason: "it simulates the disk that the others use", files: "disk" },
  { only: "postgres", reason: "its server is behind a network", files: "session session-pool check-server" },
  {
    only: "postgres",
    reason: "a folder has one owner, so SQLite has no other node to wake or to share turns with",
    files: "peer-watch turn",
  },
];

const differences = reasons.flatMap(({ only, files }) =>
  files.split(" ").map((name) => ({ file: `${name}.ts`, only })),
);

const isExcused = (file: string): boolean => differences.some((each) => each.file === file);

function missing(expected: readonly string[], journal: string, names: readonly string[]): readonly string[] {
  return expected
    .filter((file) => !names.includes(file) && !isExcused(file))
    .map((file) => `server/src/journal/${journal} has no ${file}`);
}

function namesIn(journal: string): readonly string[] {
  const folder = `server/src/journal/${journal}`;
  const names = filesUnder(folder, ".ts").map(({ path }) => path.slice(folder.length + 1));
  return names.filter((name) => !name.includes("/"));
}

test("the journals have the same file names", () => {
  const present = durable
    .map((journal) => ({ journal, names: namesIn(journal) }))
    .filter(({ names }) => names.length > 0);
  assert.ok(present.length > 0, "there is no durable journal");
  const expected = [...new Set([...namesIn("memory"), ...present.flatMap(({ names }) => names)])];
  assertNone(present.flatMap(({ journal, names }) => missing(expected, journal, names)));
});

test("a difference that is excused still exists", () => {
  assertNone(differences.filter(({ file, only }) => !namesIn(only).includes(file)).map(({ file }) => file));
});

test("the rule about journals catches a file that one of them lacks", () => {
  assert.deepEqual(missing(["open.ts", "read.ts"], "sqlite", ["open.ts"]), [
    "server/src/journal/sqlite has no read.ts",
  ]);
});
