/** Real processes under load, repeatedly killed with SIGKILL on one folder. HOLDFAST_SEED repeats a run. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import type { Head } from "../../server/src/journal/journal.ts";
import { genesis } from "../../server/src/journal/seal.ts";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import { counts } from "../prove/counts.ts";
import { type Answer, type Line, type Plan, points, seededRandom, type WriteRequest } from "./kill-lines.ts";
import { KillRecord } from "./kill-record.ts";
import { type Ended, inEmptyFolder, startProgram } from "./program.ts";

const firstSeed = Number(process.env["HOLDFAST_SEED"] ?? 1);
const cycles = counts.killCycles;
const counters = ["0", "1", "2", "3"];

type PlanParts = Partial<Plan> & Pick<Plan, "folder">;

/** Runs the program until it ends by itself, or until `note` kills it at one of its lines. */
async function runChild(parts: PlanParts, note: (line: Line, kill: () => void) => void): Promise<Ended> {
  const plan: Plan = { seed: 1, callers: 1, requests: [], from: 1, freshMax: 0, ...parts };
  const child = startProgram(join(import.meta.dirname, "kill-child.ts"), [], { input: JSON.stringify(plan) });
  const kill = (): void => {
    child.signal("SIGKILL");
  };
  const failures: unknown[] = [];
  child.onLine((text) => {
    try {
      const line = parseLine(text);
      if (line !== undefined) note(line, kill);
    } catch (error) {
      failures.push(error);
      kill();
    }
  });
  const ended = await child.ended;
  if (failures.length > 0) throw failures[0];
  return ended;
}

/** The kill may cut the last line. Then the request was not sent yet, or its answer is unknown. */
function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

/** Reads new entries of the journal and verifies the chain from the last head. */
async function readOn(folder: string, entries: Entry[], after: Head): Promise<Head> {
  const journal = await openSqliteJournal({ folder, startedAt: "now", tailRows: 500 });
  let head = after;
  for (;;) {
    const page = await journal.follow(head, { entries: 1_000, bytes: 1e7 });
    assert.ok(page.kind === "followed", "the earlier entries are still there");
    if (page.entries.length === 0) break;
    for (const entry of page.entries) assert.equal(entry.position, entries.push(entry), "positions have no gap");
    head = page.head;
  }
  await journal.close();
  return head;
}

async function makeCounters(folder: string): Promise<void> {
  const client = await open(folder);
  for (const id of counters) await client.entities.create("counter", id, { count: 0 });
  await client.entities.create("board", "main", {});
  await client.close();
}

/** The count equals the number of successful increments: no update was lost or applied twice. */
async function checkCounts(folder: string, entries: readonly Entry[]): Promise<void> {
  const client = await open(folder);
  for (const id of counters) {
    const changes = entries.filter(({ events }) =>
      events.some((event) => event.subject === `counter/${id}` && event.type !== "entity.conflict"),
    );
    const { value, version } = await client.entities.get("counter", id);
    assert.equal((value as { count: number }).count, changes.length - 1);
    assert.equal(version, changes.length);
  }
  await client.close();
}

/** Kills the process of one data folder repeatedly. Returns a summary of the outcome. */
async function killAgainAndAgain(base: string, seed: number): Promise<string> {
  const folder = join(base, "data");
  const random = seededRandom(seed);
  const upTo = (count: number): number => Math.floor(random() * count);
  const record = new KillRecord();
  const entries: Entry[] = [];
  await makeCounters(folder);
  let head = await readOn(folder, entries, genesis);
  for (let cycle = 0; cycle <= cycles; cycle += 1) {
    const isLast = cycle === cycles;
    const isClosing = isLast || cycle % 8 === 7;
    const answered = record.answered();
    const again = answered.length === 0 ? [] : Array.from({ length: 10 }, () => answered[upTo(answered.length)]!);
    const plan: PlanParts = {
      folder,
      seed: upTo(2 ** 31),
      callers: 1 + upTo(60),
      requests: [...record.unanswered(), ...again],
      from: record.nextNumber,
      freshMax: isLast ? 0 : isClosing ? upTo(600) : 1e9,
      // With few rows in memory the index is written nearly all the time.
      ...(cycle % 2 === 0 ? {} : { tailRows: 100 + upTo(400) }),
    };
    let left = 1 + upTo(1_500);
    const { signal, errors } = await runChild(plan, (line, kill) => {
      record.note(line);
      left -= 1;
      if (isClosing ? line.kind === "closing" && !isLast : left === 0) kill();
    });
    assert.equal(errors, "");
    if (!isClosing) assert.equal(signal, "SIGKILL");
    head = await readOn(folder, entries, head);
    record.checkNews(entries);
  }
  record.checkEffects(entries);
  await checkCounts(folder, entries);
  const all: Entry[] = [];
  assert.deepEqual(await readOn(folder, all, genesis), head);
  assert.deepEqual(all, entries, "history is never rewritten");
  return `${entries.length} entries, ${record.answerCount} answers, ${record.replayCount} replays`;
}

for (let run = 0; run < counts.killRuns; run += 1) {
  const seed = firstSeed + run;
  const number = counts.killRuns === 1 ? "" : `, data folder ${run + 1} of ${counts.killRuns}`;
  test(
    `every acknowledged write survives kill -9, every key has one effect, and a retry gets the first answer${number} [M4 X1]`,
    { timeout: 600_000 },
    (context) =>
      inEmptyFolder(async (base) => {
        context.diagnostic(`HOLDFAST_SEED=${seed}`);
        context.diagnostic(await killAgainAndAgain(base, seed));
      })(),
  );
}

/** A success and a conflict in one batch. */
const created: WriteRequest = {
  number: 7,
  operation: "create-entity",
  input: { type: "note", id: "7", value: { number: 7 } },
  key: "the key of 7",
};
const conflicting: WriteRequest = {
  number: 8,
  operation: "patch-entity",
  input: { type: "counter", id: "0", merge: { count: 9, number: 8 }, expected_version: 5 },
  key: "the key of 8",
};
const both = { requests: [created, conflicting], callers: 2 };

for (const at of points) {
  test(
    `a process that dies ${at} leaves one effect per key, and every retry gets the same answer, including conflicts [M4]`,
    inEmptyFolder(async (base) => {
      const folder = join(base, "data");
      await makeCounters(folder);
      const answers = new Map<number, Answer[]>([
        [7, []],
        [8, []],
      ]);
      const note = (line: Line): void => {
        if (line.kind === "answered") answers.get(line.number)?.push(line.answer);
      };
      const dead = await runChild({ folder, ...both, dies: { at, append: 1 } }, note);
      assert.equal(dead.signal, "SIGKILL", dead.errors);
      assert.ok(!dead.lines.some((line) => line.includes("answered")), "nothing was acknowledged");
      for (const parts of [{ ...both, requests: [...both.requests, ...both.requests] }, both]) {
        const ended = await runChild({ folder, ...parts }, note);
        assert.equal(ended.code, 0, ended.errors);
      }
      const wasWritten = at === "after COMMIT" || at === "before the reply";
      for (const [number, code, position] of [
        [7, undefined, 6],
        [8, "concurrency_mismatch", 7],
      ] as const) {
        const [first, ...later] = answers.get(number) ?? [];
        assert.deepEqual([first?.outcome.code, first?.position, first?.replayed], [code, position, wasWritten]);
        assert.deepEqual(later, [
          { ...first, replayed: true },
          { ...first, replayed: true },
        ]);
      }
      const entries: Entry[] = [];
      await readOn(folder, entries, genesis);
      assert.deepEqual(
        entries.slice(5).map(({ key }) => key),
        [created.key, conflicting.key],
      );
    }),
  );
}
