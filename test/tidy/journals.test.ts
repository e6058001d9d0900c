import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNone } from "./phrases.ts";
import { filesUnder } from "./tree.ts";

/** Memory is the plainest journal: whatever it needs, the durable ones need too. Those have equal names throughout. */
const durable = ["sqlite", "postgres"];

/** Files that one journal has and another can not have. Each needs its reason. */
const reasons: readonly { readonly only: string; readonly reason: string; readonly files: string }[] = [
  { only: "memory", reason: "it stands for the disk that the others really have", files: "disk" },
  {
    only: "sqlite",
    reason: "old batches move into files beside the database; a Postgres has nowhere cheaper to move them",
    files: "archive archive-parts segment-file segment-table write-segment whole-table reader",
  },
  {
    only: "sqlite",
    reason: "it owns a folder, and whoever looks after a Postgres has its own tools to copy, prove and own",
    files: "backup copy-journal make-folder own-folder prove-files prove-log",
  },
  {
    only: "sqlite",
    reason:
      "it is several files, each opened and written in its own way and in small steps, since all work stops meanwhile",
    files:
      "files open-index open-parts checkpoint-file checkpoint-table sweep-checkpoint transact truncate-log upkeep write-together",
  },
  { only: "postgres", reason: "it is on the other side of a network", files: "session sessions check-server" },
  {
    only: "postgres",
    reason: "a folder has one owner, so there is nobody else to hear of, or to take turns with",
    files: "wake turn",
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
  return filesUnder(folder, ".ts").map(({ path }) => path.slice(folder.length + 1));
}

test("whoever knows one journal finds the same file names in the others", () => {
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
