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

interface ProcessReply {
  readonly position?: number;
  readonly code?: string;
  readonly certain?: boolean;
  readonly message?: string;
}

interface JournalProcess {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** The next line of its standard output. */
  next(): Promise<ProcessReply>;
  ask(line: string): Promise<ProcessReply>;
  kill(): Promise<void>;
}

type StartJournalProcess = (folder: string, tailRows?: number) => JournalProcess;

/** Runs a test with its own folder and processes. A process that outlived the test would hang the whole run. */
function withChildren(work: (folder: string, start: StartJournalProcess) => Promise<void>): () => Promise<void> {
  return withFolder(async (folder) => {
    const children: JournalProcess[] = [];
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

function startChild(folder: string, tailRows = 50): JournalProcess {
  const program = join(import.meta.dirname, "sqlite-child.ts");
  const child = spawnChild(execPath, [program, folder, String(tailRows)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<ProcessReply> => {
    const line = await lines.next();
    assert.ok(line.done !== true, "the process ended without a reply");
    return JSON.parse(line.value) as ProcessReply;
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
  "a second process cannot open an owned folder, and its error names the owner, until the owner closes or dies",
  withChildren(async (folder, start) => {
    const owner = start(folder);
    assert.deepEqual(await owner.next(), { position: 0 });
    const refused = start(folder);
    const answer = await refused.next();
    assert.equal(answer.code, "owned");
    const says = new RegExp(`in use by process ${owner.process.pid} on .+ since 2026-11-15`);
    assert.match(answer.message ?? "", says);
    await assert.rejects(openFolder(folder), failure("owned", { certain: true, says }));
    assert.deepEqual(await owner.ask("append 3"), { position: 3 }, "the owner is not affected");
    await owner.kill();
    const journal = await openFolder(folder);
    await assert.rejects(openFolder(folder), failure("owned"), "also within one process");
    assert.equal((await journal.read(0, everything)).length, 3);
    await journal.close();
  }),
);

test(
  "a folder can be owned and released although owner.json cannot be written",
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
    `no acknowledged entry is lost if kill -9 interrupts appends of ${size} entries and flushes of the index [X1]`,
    withChildren(async (folder, start) => {
      for (const replyCount of [1, 60, 23]) {
        const child = start(folder, tailRows);
        let { position } = await child.next();
        for (let count = 0; count < replyCount; count += 1) {
          ({ position } = await (count === 0 ? child.ask(`run ${size}`) : child.next()));
        }
        await child.kill();
        await assertWhole(folder, position ?? 0, size);
      }
    }),
  );
}

/** Every acknowledged entry exists, the last batch is complete, and the index matches the entries. */
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
  "an append fails with certain: false if the disk fails during COMMIT, and the journal works again with the disk",
  withChildren(async (folder, start) => {
    const child = start(folder);
    await child.next();
    assert.deepEqual(await child.ask("append 5"), { position: 5 });
    const limit = (bytes: string): void =>
      void execChildSync("prlimit", ["--pid", String(child.process.pid), `--fsize=${bytes}:unlimited`]);
    // No file may grow beyond the current size of the WAL, so the write of the next commit fails in the kernel.
    limit(String(statSync(join(folder, "journal.db-wal")).size));
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { code, certain } = await child.ask("append 2");
      assert.deepEqual({ code, certain }, { code: "io", certain: false });
      assert.deepEqual(await child.ask("head"), { position: 5 }, "reads work");
    }
    limit("unlimited");
    assert.deepEqual(await child.ask("append 2"), { position: 7 });
    await child.kill();
    await assertWhole(folder, 7, 1);
  }),
);
