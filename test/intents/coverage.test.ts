/**
 * Line coverage, measured by Node. A few fast files of tests are enough to exceed the bound, so the whole run is not
 * repeated. The other tests only add to it.
 */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { testEnvironment } from "../scenario/child-environment.ts";
import { spawnChild } from "../scenario/spawn-child.ts";
import { folderFor } from "../socket/with-server.ts";

const root = join(import.meta.dirname, "..", "..");

/** The folders of each part. */
const parts = {
  locks: ["server/src/features/locks", "sdk/src/client/locks"],
  entities: ["server/src/features/entities"],
  intents: ["server/src/packs/intents", "server/src/app/packs/intents", "sdk/src/client/intents"],
} as const;

const testFiles = [
  ...["decisions", "runs", "pipelines"].map((name) => `test/intents/${name}.test.ts`),
  ...["acquire", "deadlocks", "leases"].map((name) => `test/locks/${name}.test.ts`),
  ...["api/entities", "api/conflicts", "client/leases"].map((name) => `test/${name}.test.ts`),
];

/** Minimum share of lines that run. */
const linesMin = 0.8;

/** Lines of a file that ran, and all of its lines. */
interface LineCount {
  readonly ran: number;
  readonly all: number;
}

/** Runs the tests in one process, with coverage. Returns the lines of each source file. */
async function coverageOf(folder: string): Promise<ReadonlyMap<string, LineCount>> {
  const report = join(folder, "lines.info");
  const included = Object.values(parts).flatMap((folders) => folders.map((each) => `${each}/**`));
  const args = [
    ...["--test", "--test-isolation=none", "--test-force-exit", "--test-timeout=60000", "--experimental-test-coverage"],
    ...included.map((glob) => `--test-coverage-include=${glob}`),
    ...["--test-reporter=lcov", `--test-reporter-destination=${report}`],
    ...testFiles,
  ];
  const child = spawnChild(process.execPath, args, { cwd: root, env: testEnvironment({}), stdio: "ignore" });
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  assert.equal(code, 0, `the tests under coverage failed: node ${args.join(" ")}`);
  const records = (await readFile(report, "utf8")).split("end_of_record\n");
  return new Map(records.flatMap((record) => lineCount(record)));
}

/** A record of the format lcov: the file, and each line with the number of times that it ran. */
function lineCount(record: string): readonly (readonly [file: string, count: LineCount])[] {
  const file = /^SF:(.*)$/mu.exec(record)?.[1];
  const lines = [...record.matchAll(/^DA:\d+,(\d+)$/gmu)];
  return file === undefined
    ? []
    : [[file, { ran: lines.filter(([, times]) => times !== "0").length, all: lines.length }]];
}

test("more than 80 % of the lines of locks, of entities and of intents run in the tests [B12]", async (t) => {
  const counts = await coverageOf(await folderFor(t));
  for (const [part, folders] of Object.entries(parts)) {
    const total = { ran: 0, all: 0 };
    for (const file of folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))) {
      // A file that no test loads counts with all of its lines.
      const { ran, all } = counts.get(file) ?? {
        ran: 0,
        all: (await readFile(join(root, file), "utf8")).split("\n").length,
      };
      total.ran += ran;
      total.all += all;
    }
    const share = total.ran / total.all;
    t.diagnostic(`${part}: ${(100 * share).toFixed(1)} % of ${total.all} lines`);
    assert.ok(total.all > 1_000, `${part} has only ${total.all} lines: its folders are wrong`);
    assert.ok(share > linesMin, `${part}: only ${(100 * share).toFixed(1)} % of the lines ran`);
  }
});
