import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RunningJob } from "../../sdk/src/client/jobs/running-job.ts";
import { onEveryTransport } from "../client/every-transport.ts";
import { clientNode, held, soon } from "../client/client-node.ts";
import { lossyClient } from "../client/lossy-client.ts";

/** Resolves when the signal of a job aborts. */
const aborted = ({ signal }: RunningJob): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      resolve();
    });
  });

describe("workers of the client", () => {
  onEveryTransport("a worker runs jobs, reports their results and is drained [W8]", async (client) => {
    const seen: unknown[] = [];
    const worker = await client.jobs.work(
      "mail",
      (job) => {
        seen.push(job.payload);
        job.progress(50, "half");
        return { sent_to: job.payload };
      },
      { slots: 2 },
    );
    const sent = await Promise.all([1, 2, 3, 4, 5].map((n) => client.jobs.submit("mail", { n })));
    const jobs = await Promise.all(sent.map(({ id }) => client.jobs.wait(id)));
    assert.deepEqual(
      jobs.map(({ state, result }) => [state, result]),
      [1, 2, 3, 4, 5].map((n) => ["completed", { sent_to: { n } }]),
    );
    assert.equal(seen.length, 5);
    await worker.drain();
    const { id } = await client.jobs.submit("mail", {});
    assert.equal((await client.jobs.get(id)).state, "ready");
    assert.deepEqual((await client.jobs.listWorkers()).items, []);
  });

  onEveryTransport("a worker fails, returns and aborts jobs as their handler and their sender ask", async (client) => {
    const attempts = new Map<string, number>();
    await using _worker = await client.jobs.work(
      ["a", "b"],
      async (job) => {
        attempts.set(job.id, (attempts.get(job.id) ?? 0) + 1);
        if (job.id === "fatal") throw job.fatal("bad input");
        if (job.id === "snooze" && attempts.get(job.id) === 1) throw job.snooze();
        if (job.id === "cancel") await aborted(job);
        if (job.id === "cancel") throw new Error("stopped");
      },
      { slots: 3 },
    );
    await client.jobs.submit("a", undefined, { id: "cancel" });
    await soon(() => attempts.has("cancel"));
    await client.jobs.cancel({ id: "cancel" });
    await client.jobs.submit("b", undefined, { id: "fatal" });
    await client.jobs.submit("a", undefined, { id: "snooze" });
    const ends = await Promise.all(["cancel", "fatal", "snooze"].map((id) => client.jobs.wait(id)));
    assert.deepEqual(
      ends.map(({ state, error }) => [state, error?.message]),
      [
        ["cancelled", undefined],
        ["failed", "bad input"],
        ["completed", undefined],
      ],
    );
    assert.equal(attempts.get("snooze"), 2);
  });
});

describe("locks of running jobs", () => {
  onEveryTransport("a running job has its locks, acquires more and shows the fence [W9]", async (client) => {
    const fences: (string | undefined)[] = [];
    await using _worker = await client.jobs.work("tiles", async (job) => {
      fences.push(job.fence);
      fences.push(await job.lock("project/p/map/n"));
      await job.unlock("project/p/map/n");
      fences.push(job.fence);
      await job.unlock();
      return job.fence ?? "none";
    });
    const { id } = await client.jobs.submit("tiles", undefined, { locks: ["project/p/map/m"] });
    const job = await client.jobs.wait(id);
    assert.deepEqual([job.state, job.project, job.result], ["completed", "p", "none"]);
    assert.ok(fences[0] !== undefined && fences[0] !== fences[1]);
    assert.equal(fences[2], fences[1], "the fence is that of the locks that are left");
    assert.deepEqual((await client.locks.status("project/p/map/m")).holders, []);
  });
});

describe("workers and time", () => {
  test("`unlocked` holds no lock during its work, and the job has a new fence for the same locks afterwards [W9]", async () => {
    await using node = await clientNode();
    const client = node.fresh("ann");
    const path = "project/p/map/m";
    const fences: (string | undefined)[] = [];
    await using _worker = await client.jobs.work("tiles", async (job) => {
      fences.push(job.fence);
      const holders = await job.unlocked(async () => {
        fences.push(job.fence);
        return (await client.locks.status(path)).holders.length;
      });
      fences.push(job.fence);
      const [again] = (await client.locks.status(path)).holders;
      return { holders, mode: again?.mode, scope: again?.scope };
    });
    const lock = { path, mode: "upgradeable", scope: "self" } as const;
    const { id } = await client.jobs.submit("tiles", undefined, { locks: [lock] });
    assert.deepEqual((await client.jobs.wait(id)).result, { holders: 0, mode: "upgradeable", scope: "self" });
    const [first, during, last] = fences;
    assert.equal(during, undefined);
    assert.ok(first !== undefined && last !== undefined && first !== last);
  });

  test("a running job tries five times to acquire a lock that another owner holds, and then fails with its name [W9]", async () => {
    await using node = await clientNode();
    const { client, sent } = lossyClient(node, "ann");
    const path = "project/p/map/m";
    const done = Promise.withResolvers<undefined>();
    await using _worker = await client.jobs.work("tiles", (job) =>
      job.unlocked(async () => {
        await node.fresh("bob").acquire(path, { ttlMs: 45_000 });
        done.resolve(undefined);
      }),
    );
    await client.jobs.submit("tiles", undefined, { id: "j1", locks: [path], maxAttempts: 1 });
    await done.promise;
    const count = (): number => sent.filter((operation) => operation === "jobs.lock").length;
    await soon(() => count() === 1);
    await node.clock.pass(3_000, 50);
    await soon(async () => (await client.jobs.get("j1")).state === "failed");
    assert.equal(count(), 5);
    const { error } = await client.jobs.get("j1");
    assert.ok(error !== undefined);
    assert.equal(error.code, "jobs.locks_unavailable");
    assert.match(error.message, /bob/u);
  });

  test("a job that ends soon after a report sends its last report at once, and not a second later", async () => {
    await using node = await clientNode();
    const client = node.fresh("ann");
    await using _worker = await client.jobs.work("tiles", (job) => {
      job.progress(10);
      job.progress(90, "nearly done");
    });
    const events = client.watch({ after: await client.cursor(), names: ["evt.jobs.progressed"] });
    await client.jobs.submit("tiles", undefined, { id: "j1" });
    // Nothing moves the clock, so a job that waits for its next turn to report never ends.
    await soon(async () => (await client.jobs.get("j1")).state === "completed");
    const percents: unknown[] = [];
    for await (const { data } of events) {
      percents.push((data as { readonly percent?: number }).percent);
      if (percents.length === 2) break;
    }
    assert.deepEqual(percents, [10, 90]);
  });

  test("a job that snoozes for part of a second gets its locks again, although a reader took them meanwhile [W9]", async () => {
    await using node = await clientNode();
    const client = node.fresh("ann");
    const path = "project/p/map/m";
    const delays = [200, -1, 1_500, Infinity];
    const fences: (string | undefined)[] = [];
    await using _worker = await client.jobs.work("tiles", (job) => {
      fences.push(job.fence);
      const delayMs = delays[fences.length - 1];
      if (delayMs !== undefined) throw job.snooze(delayMs);
      return "done";
    });
    await client.jobs.submit("tiles", undefined, { id: "j1", locks: [path] });
    const isWaiting = async (count: number): Promise<boolean> =>
      fences.length === count && (await client.jobs.get("j1")).state === "scheduled";
    await soon(() => isWaiting(1));
    const reader = held(await node.fresh("bob").acquire({ path, mode: "read" }, { ttlMs: 45_000 }));
    await node.clock.pass(1_000, 100);
    await soon(async () => (await client.jobs.get("j1")).state === "locking");
    await reader.release();
    await soon(() => isWaiting(3));
    await node.clock.pass(2_000, 100);
    await soon(() => isWaiting(4));
    assert.equal((await client.jobs.get("j1")).attempt, 0);
    assert.equal(new Set(fences).size, 4);
    assert.ok(fences.every((fence) => fence !== undefined));
    await client.jobs.change("j1", { runAt: new Date(node.clock.wallMs()).toISOString() });
    assert.equal((await client.jobs.wait("j1")).state, "completed");
  });

  test("heartbeats keep a long job, and a job of a closed worker returns to the queue", async () => {
    await using node = await clientNode();
    const client = node.fresh("ann");
    const started: number[] = [];
    const worker = await client.jobs.work("long", async (job) => {
      started.push(job.attempt);
      await aborted(job);
      throw new Error("stopped");
    });
    await client.jobs.submit("long", undefined, { id: "j1" });
    await soon(() => started.length === 1);
    await node.clock.pass(120_000, 1_000);
    assert.equal((await client.jobs.get("j1")).state, "running");
    assert.deepEqual(started, [1]);
    await worker.close();
    const job = await client.jobs.get("j1");
    assert.deepEqual([job.state, job.attempt], ["ready", 0]);
  });
});
