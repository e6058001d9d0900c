/** Rows of the matrix about callers at the same time, deadlocks, the audit log and speed. */
import assert from "node:assert/strict";
import { DeadlockError } from "holdfast";
import { InvalidStatusTransitionError, LockTimeoutError } from "@holdfast/sdk/intent-errors";
import type { Bridge } from "@holdfast/sdk/bridges";
import { held, soon } from "../client/client-node.ts";
import { assertAuditStore } from "./audit-store.ts";
import { passUntil } from "./matrix-row.ts";
import type { MatrixRow } from "./matrix-row.ts";

const because = { source: "pricing", reason: "the list changed" };
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const concurrent: readonly MatrixRow[] = [
  {
    category: "concurrent updates",
    promise: "concurrent status updates end in one consistent status, and each loser gets a clear error",
    prove: async (client) => {
      await client.intents.create({ id: "1", payload: {}, status: "received" });
      const results = await Promise.allSettled([
        client.intents.transition("1", "processed"),
        client.intents.transition("1", "normalized"),
        client.intents.transition("1", "completed"),
      ]);
      const losers = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
      assert.ok(losers.every((error) => error instanceof InvalidStatusTransitionError));
      const { status, version } = await client.intents.get("1");
      assert.deepEqual([status, version, losers.length], ["completed", 3, 1]);
    },
  },
  {
    category: "concurrent updates",
    promise: "concurrent re-evaluations of one intent are all applied and all in its history",
    prove: async ({ intents }) => {
      await intents.create({ id: "1", payload: {}, status: "processed" });
      await Promise.all(range(10).map((n) => intents.reevaluate("1", { ...because, diff: { [`field_${n}`]: n } })));
      const { payload, correctionHistory } = await intents.get("1");
      assert.equal(Object.keys(payload).length, 10);
      assert.deepEqual(
        correctionHistory.map(({ number }) => number),
        range(10).map((n) => n + 1),
      );
    },
  },
  {
    category: "concurrent updates",
    promise: "of two pipelines on one intent the second is refused at once, or runs after the first",
    prove: async (client, { clock }) => {
      await client.intents.create({ id: "1", payload: {} });
      const ended = Promise.withResolvers<undefined>();
      const spans: string[] = [];
      const bridge: Bridge = {
        name: "slow",
        execute: async (_intent, { key }) => {
          spans.push(`begin ${key}`);
          await ended.promise;
          spans.push(`end ${key}`);
          return undefined;
        },
      };
      const pipeline = await client.intents.bridges([bridge], { name: "orders" });
      const first = pipeline.execute("1");
      await soon(() => spans.length === 1);
      await assert.rejects(pipeline.execute("1"), LockTimeoutError);
      const second = pipeline.execute("1", { waitMs: 60_000 });
      await soon(async () => (await client.locks.status("intent/1")).queue.length === 1);
      ended.resolve(undefined);
      await passUntil(clock, Promise.all([first, second]));
      assert.deepEqual(
        spans.map((span) => span.split(" ")[0]),
        ["begin", "end", "begin", "end"],
      );
    },
  },
];

const deadlock: readonly MatrixRow[] = [
  {
    category: "deadlock",
    promise: "a deadlock between two callers is found at once, and the retry lets both finish",
    prove: async (client, node) => {
      const { clock } = node;
      for (const id of ["a", "b"]) await client.intents.create({ id, payload: {} });
      const other = node.fresh("bob");
      const one = await client.acquire("intent/a");
      const work = other.retryOnDeadlock(async ({ acquire, tried }) => {
        await using _b = await acquire("intent/b");
        if (tried === 1) await soon(async () => (await client.locks.status("intent/b")).queue.length === 1);
        await using _a = await acquire("intent/a");
        return tried;
      });
      await soon(async () => (await client.locks.status("intent/b")).holders.length === 1);
      const two = await passUntil(clock, client.acquire("intent/b"));
      await two.release();
      await one.release();
      assert.equal(await passUntil(clock, work), 2);
    },
  },
  {
    category: "deadlock",
    promise: "ten callers that update five intents in any order never meet a deadlock",
    prove: async (client, node) => {
      const ids = range(5).map((n) => `i${n}`);
      for (const id of ids) await client.intents.create({ id, payload: {}, status: "processed" });
      const shuffled = range(10).map((n) => ids.map((_, index) => ids[(index * 2 + n) % 5] ?? ""));
      const updates = shuffled.map((order, n) =>
        node.fresh(`c${n}`).intents.updateMany(order, { changes: { [`by_${n}`]: true } }, { waitMs: 60_000 }),
      );
      await Promise.all(updates);
      for (const id of ids) assert.equal(Object.keys((await client.intents.get(id)).payload).length, 10);
    },
  },
  {
    category: "deadlock",
    promise: "a work that meets a deadlock in every try fails with the number of retries and the cycle",
    prove: async (client, node) => {
      const { clock } = node;
      const other = node.fresh("bob");
      held(await client.tryAcquire("intent/a", { ttlMs: 600_000 }));
      const work = other
        .retryOnDeadlock(async ({ acquire, tried }) => {
          await using _b = await acquire("intent/b");
          const waiting = client.acquire("intent/b");
          waiting.then((lock) => lock.release()).catch(() => undefined);
          await soon(async () => (await client.locks.status("intent/b")).queue.length === 1);
          await using _a = await acquire("intent/a");
          return tried;
        })
        .catch((error: unknown) => error);
      const failed = await passUntil(clock, work);
      assert.ok(failed instanceof DeadlockError, String(failed));
      assert.equal(failed.message, "Operation failed after 3 deadlock retries");
      assert.deepEqual([failed.maxRetries, failed.cycle.length > 0], [3, true]);
    },
  },
];

const audit: readonly MatrixRow[] = [
  {
    category: "audit",
    promise: "the store has every audit event in order, with its actor and its data",
    prove: assertAuditStore,
  },
  {
    category: "audit",
    promise: "the local file has a line for each entry of the audit log, in the order of the journal",
    prove: {
      file: "test/observe/audit-file.test.ts",
      text: "each line of the audit file is an entry of list-audit, in the order of the journal [B10]",
    },
  },
  {
    category: "audit",
    promise: "kill -9 between two steps of the file leaves no gap and no repeat",
    prove: {
      file: "test/observe/audit-file-kill.test.ts",
      text: "kill -9 leaves an audit file without a gap, a repeat or a wrong line",
    },
  },
];

const performance: readonly MatrixRow[] = [
  {
    category: "performance",
    promise: "1,000 intents are updated in concurrent batches of 100, and none is lost",
    figure: "status updates/s over 1,000 intents in batches of 100, over 2,000 [B7]",
    prove: async ({ intents }) => {
      await Promise.all(range(1_000).map((n) => intents.create({ id: String(n), payload: {} })));
      for (let start = 0; start < 1_000; start += 100)
        await Promise.all(range(100).map((n) => intents.transition(String(start + n), "processed")));
      assert.equal((await intents.list({ status: "processed", limit: 1_000 })).items.length, 1_000);
    },
  },
  {
    category: "performance",
    promise: "50 concurrent re-evaluations of one intent all succeed",
    figure: "p95 of 50 re-evaluations of one intent at once, ms over 200 [B7]",
    prove: async ({ intents }) => {
      await intents.create({ id: "1", payload: {}, status: "processed" });
      const work = range(50).map((n) => intents.reevaluate("1", { ...because, diff: { [`field_${n}`]: n } }));
      const results = await Promise.all(work);
      assert.ok(results.every(({ alreadyApplied }) => !alreadyApplied));
      assert.equal((await intents.get("1")).correctionCount, 50);
    },
  },
  {
    category: "performance",
    promise: "the locks of 100 intents are acquired and released one after the other, and none is left",
    figure: "p95 of acquire and release of the locks of 100 intents, ms over 5 [B7]",
    prove: async (client) => {
      await Promise.all(range(100).map((n) => client.intents.create({ id: String(n), payload: {} })));
      for (const n of range(100)) await client.intents.withLock(String(n), {}, () => Promise.resolve());
      for (const n of range(100)) assert.deepEqual((await client.locks.status(`intent/${n}`)).holders, []);
    },
  },
];

export const raceRows = [...concurrent, ...deadlock, ...audit, ...performance];
