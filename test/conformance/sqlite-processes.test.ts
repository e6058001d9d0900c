import assert from "node:assert/strict";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { assertSubjects } from "./indexed-sample.ts";
import { appendSample, everything } from "./sample-entries.ts";
import { failure, openFolder, withFolder } from "./sqlite-folder.ts";
import { execChildSync, spawnChild } from "../scenario/spawn-child.ts";

interface Answer {
  readonly position?: number;
  readonly code?: string;
  readonly certain?: boolean;
  readonly message?: string;
}

interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** The next line it says. */
  next(): Promise<Answer>;
  ask(line: string): Promise<Answer>;
  kill(): Promise<void>;
}

type StartChild = (folder: string, tailRows?: number) => Child;

/** Runs a test with a folder and processes of its own; none of them outlives it, which would hang the whole run. */
function withChildren(work: (folder: string, start: StartChild) => Promise<void>): () => Promise<void> {
  return withFolder(async (folder) => {
    const children: Child[] = [];
    try {
      await work(folder, (...options) => {
        const child = startChild(...options);
        children.push(child);
        return child;
      });
    } finally {
      for (const child of children) await child.kill();
    }
  });
}

function startChild(folder: string, tailRows = 50): Child {
  const program = join(import.meta.dirname, "sqlite-child.ts");
  const child = spawnChild(execPath, [program, folder, String(tailRows)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Answer> => {
    const line = await lines.next();
    assert.ok(line.done !== true, "the process ended without an answer");
    return JSON.parse(line.value) as Answer;
  };
  return {
    process: child,
    next,
    ask(line) {
      child.stdin.write(`${line}\n`);
      return next();
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
  };
}

test(
  "a folder has one owner: a second process is told who has it, until the first one is gone, however it goes",
  withChildren(async (folder, start) => {
    const owner = start(folder);
    assert.deepEqual(await owner.next(), { position: 0 });
    const refused = start(folder);
    const answer = await refused.next();
    assert.equal(answer.code, "owned");
    const says = new RegExp(`in use by process ${owner.process.pid} on .+ since 2026-11-15`);
    assert.match(answer.message ?? "", says);
    await assert.rejects(openFolder(folder), failure("owned", { certain: true, says }));
    assert.deepEqual(await owner.ask("append 3"), { position: 3 }, "the owner is not disturbed");
    await owner.kill();
    const journal = await openFolder(folder);
    await assert.rejects(openFolder(folder), failure("owned"), "also within one process");
    assert.equal((await journal.read(0, everything)).length, 3);
    await journal.close();
  }),
);

test(
  "a folder can be taken and given back although the note about its owner can't be written",
  withFolder(async (folder) => {
    mkdirSync(join(folder, "owner.json"), { recursive: true });
    for (let time = 0; time < 2; time += 1) {
      const journal = await openFolder(folder);
      await assert.rejects(openFolder(folder), failure("owned", { says: /in use by another process/ }));
      await appendSample(journal, 1);
      await journal.close();
    }
  }),
);

for (const [size, tailRows] of [
  [1, 50],
  [7, 50],
  [100, 2000],
] as const) {
  test(
    `kill -9 while appending batches of ${size} and flushing the index loses nothing that was acknowledged [X1]`,
    withChildren(async (folder, start) => {
      for (const answers of [1, 60, 23]) {
        const child = start(folder, tailRows);
        let { position } = await child.next();
        for (let count = 0; count < answers; count += 1) {
          ({ position } = await (count === 0 ? child.ask(`run ${size}`) : child.next()));
        }
        await child.kill();
        await assertWhole(folder, position ?? 0, size);
      }
    }),
  );
}

/** Everything acknowledged is there, the last batch is whole, and the index says the same as the entries. */
async function assertWhole(folder: string, acknowledged: number, size: number): Promise<void> {
  const journal = await openFolder(folder, 50);
  const { position } = await journal.head();
  assert.ok(position >= acknowledged, `${position} is less than the ${acknowledged} acknowledged`);
  assert.equal(position % size, 0);
  assert.equal((await journal.read(0, everything)).length, position);
  await assertSubjects(journal, position);
  await journal.close();
}

test(
  "when the disk fails in the middle of a commit the answer is not certain, and the journal goes on when it works again",
  withChildren(async (folder, start) => {
    const child = start(folder);
    await child.next();
    assert.deepEqual(await child.ask("append 5"), { position: 5 });
    const limit = (bytes: string): void =>
      void execChildSync("prlimit", ["--pid", String(child.process.pid), `--fsize=${bytes}:unlimited`]);
    // No file may grow past the log's present size: the next commit's write fails in the kernel.
    limit(String(statSync(join(folder, "journal.db-wal")).size));
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { code, certain } = await child.ask("append 2");
      assert.deepEqual({ code, certain }, { code: "io", certain: false });
      assert.deepEqual(await child.ask("head"), { position: 5 }, "reads go on");
    }
    limit("unlimited");
    assert.deepEqual(await child.ask("append 2"), { position: 7 });
    await child.kill();
    await assertWhole(folder, 7, 1);
  }),
);
