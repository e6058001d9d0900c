/** Each condition of a recovery with workers and servers in processes of their own, which are killed or stopped. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { counts } from "../prove/counts.ts";
import { freePort } from "../scenario/free-port.ts";
import { holdfast } from "../scenario/holdfast-command.ts";
import { folderFor, serverFor } from "../socket/with-server.ts";
import { startWorkerProcess } from "./worker-process.ts";

type LockKinds = NonNullable<NonNullable<Parameters<Client["operations"]["configureLocks"]>[0]>["kinds"]>;
type WorkerProcess = Awaited<ReturnType<typeof startWorkerProcess>>;

/** A client with the operator token of the folder, which changes caps and kinds. */
function asOperator(url: string, folder: string): Promise<Client> {
  return connect(url, { token: readFileSync(join(folder, ".holdfast", "operator-token"), "utf8").trim() });
}

/** A server with leases of 30 seconds for jobs, unless the test needs others. */
async function serverOf(t: TestContext, kinds: LockKinds) {
  const folder = await folderFor(t);
  const { url } = await serverFor(t, join(folder, ".holdfast"));
  const client = await asOperator(url, folder);
  t.after(() => client.close());
  await client.operations.configureLocks({ kinds });
  await client.jobs.configure({ types: { job: { leaseMs: 30_000 }, held: { leaseMs: 60_000 } } });
  return { client, url };
}

const map = { shape: "project/map", policy: "recover", order: 2, ttlMs: 45_000, graceMs: 40_000 } as const;
const path = "project/p/map/m";

/** Resolves when a lease on a server of its own has expired: real time, by the clock that decides leases. */
async function leaseExpires(t: TestContext, ttlMs: number): Promise<void> {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const events = client.watch({ after: await client.cursor(), names: ["evt.lock.expired"] });
  await client.operations.acquireLock({ paths: ["outage"], ttlMs, ownerId: "clock" });
  await events.next();
  await events.return?.();
}

/** The owners that hold a lock. */
async function holdersOf(client: Client, locked: string): Promise<readonly string[]> {
  return (await client.locks.status(locked)).holders.map(({ ownerId }) => ownerId);
}

/** The end of the lease of a lock, by the wall clock. */
async function leaseEnd(client: Client, locked: string): Promise<number> {
  const [holder] = (await client.locks.status(locked)).holders;
  return Date.parse(holder?.until ?? "");
}

/** Submits a job that waits in its worker, and returns its fence. */
async function started(client: Client, worker: WorkerProcess, type: string, locked: string): Promise<string> {
  await client.jobs.submit(type, { wait: true }, { id: "j1", locks: [locked] });
  const line = await worker.line();
  assert.match(line, /^started j1 1 /u);
  assert.deepEqual(await holdersOf(client, locked), ["holdfast:job:j1"]);
  return line.split(" ")[3] ?? "";
}

/** The entry that recovered the lock, as the history of the lock shows it. */
async function recoveryOf(client: Client, locked: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { items } = await client.locks.history(locked);
  const found = items.find(({ event }) => event === "evt.lock.recovered");
  return found?.data as Readonly<Record<string, unknown>> | undefined;
}

for (let round = 0; round < counts.jobRecoveries; round += 1) {
  describe("the conditions of a recovery with real processes", { concurrency: true }, () => {
    test("a lock without a job and with an old heartbeat is not recovered before its lease has passed [W3]", async (t) => {
      const sketch = {
        shape: "project/map/sketch",
        policy: "recover",
        order: 3,
        ttlMs: 60_000,
        graceMs: 10_000,
      } as const;
      const { client, url } = await serverOf(t, { sketch });
      const locked = "project/p/map/m/sketch/s";
      const worker = await startWorkerProcess(t, url, "held");
      await started(client, worker, "held", locked);
      const events = client.watch({ after: await client.cursor(), names: ["evt.lock.recovered"] });
      worker.signal("SIGSTOP");
      // A worker that does not obey a cancellation loses its claim after 30 seconds. The grace of the lock is 10.
      await client.jobs.cancel({ id: "j1" });
      assert.equal((await client.jobs.wait("j1")).state, "cancelled");
      assert.deepEqual(await holdersOf(client, locked), ["holdfast:job:j1"]);
      const endMs = await leaseEnd(client, locked);
      assert.ok(endMs > Date.now(), "the lease has not passed");
      await events.next();
      assert.ok(Date.now() >= endMs);
      assert.deepEqual(await holdersOf(client, locked), []);
      await events.return?.();
    });

    test("a lapsed lock without a job is not recovered while its heartbeat is within the grace, and excludes others [W3 W11]", async (t) => {
      const { client, url } = await serverOf(t, { map });
      const worker = await startWorkerProcess(t, url, "job");
      await started(client, worker, "job", path);
      const cursor = await client.cursor();
      worker.signal("SIGKILL");
      const losses = client.watch({ after: cursor, names: ["evt.jobs.lost"], subject: "job/j1" });
      await losses.next();
      await losses.return?.();
      assert.deepEqual(await holdersOf(client, path), ["holdfast:job:j1"]);
      const { agentId, secret } = await client.agents.register({ name: "other" });
      const other = client.as({ agentId, secret });
      await assert.rejects(other.operations.acquireLock({ paths: [path], ttlMs: 45_000 }), { code: "lock_denied" });
      const events = client.watch({ after: cursor, names: ["evt.lock.recovered"] });
      await events.next();
      await events.return?.();
      assert.deepEqual(await holdersOf(client, path), []);
      const granted = await other.operations.acquireLock({ paths: [path], ttlMs: 45_000 });
      assert.equal(granted.granted, true);
    });

    test("a lock that an active job claims is kept after an outage that was longer than lease and grace [W3 X3]", async (t) => {
      const folder = await folderFor(t);
      const port = await freePort();
      const up = async () => {
        const args = ["up", "--json", "--data", join(folder, ".holdfast"), "--port", String(port)];
        const server = holdfast(folder, args);
        t.after(() => server.signal("SIGKILL"));
        await server.line(/"event":"up"/u);
        return server;
      };
      const first = await up();
      await using client = await asOperator(`http://127.0.0.1:${String(port)}`, folder);
      await client.operations.configureLocks({ kinds: { map } });
      await client.jobs.configure({ types: { job: { leaseMs: 30_000 } } });
      // An agent without a guard of its own: the worker of the client would return the job before its lease ends.
      const { agentId, secret } = await client.agents.register({ name: "worker" });
      const agent = client.as({ agentId, secret });
      await agent.operations.jobs.offer({ types: ["job"], slots: 1 });
      await client.jobs.submit("job", null, { id: "j1", locks: [path] });
      const { claim = "" } = await client.jobs.get("j1");
      first.signal("SIGKILL");
      await first.ended;
      // Longer than the lease of 30 and the grace of 40 seconds.
      await leaseExpires(t, 45_000);
      const second = await up();
      assert.ok((await leaseEnd(client, path)) < Date.now(), "the lease has passed");
      assert.deepEqual(await holdersOf(client, path), ["holdfast:job:j1"]);
      await agent.operations.heartbeat({});
      // Longer than the grace period of a start, in which nothing expires.
      await leaseExpires(t, 12_000);
      assert.deepEqual(await holdersOf(client, path), ["holdfast:job:j1"]);
      assert.equal((await agent.operations.jobs.complete({ id: "j1", claim })).state, "completed");
      assert.deepEqual([await holdersOf(client, path), await recoveryOf(client, path)], [[], undefined]);
      second.signal("SIGKILL");
      await second.ended;
    });

    test("a recovered lock has its recovery in the audit trail, also after a kill of the server, and never without it [W3]", async (t) => {
      const folder = await folderFor(t);
      const port = await freePort();
      const args = ["up", "--json", "--data", join(folder, ".holdfast"), "--port", String(port)];
      const server = holdfast(folder, args);
      t.after(() => server.signal("SIGKILL"));
      await server.line(/"event":"up"/u);
      const url = `http://127.0.0.1:${String(port)}`;
      await using client = await asOperator(url, folder);
      await client.operations.configureLocks({ kinds: { map } });
      await client.jobs.configure({ types: { job: { leaseMs: 30_000 } } });
      const worker = await startWorkerProcess(t, url, "job");
      const fence = await started(client, worker, "job", path);
      worker.signal("SIGKILL");
      const events = client.watch({ after: await client.cursor(), names: ["evt.lock.recovered"] });
      for (;;) {
        const before = await recoveryOf(client, path);
        if ((await holdersOf(client, path)).length === 0) break;
        assert.equal(before, undefined, "the lock is held as long as its trail has no recovery");
        await events.next();
      }
      await events.return?.();
      // The end of the process keeps nothing that was not durable before the lock was free.
      server.signal("SIGKILL");
      await server.ended;
      const again = holdfast(folder, args);
      t.after(() => again.signal("SIGKILL"));
      await again.line(/"event":"up"/u);
      const recovery = await recoveryOf(client, path);
      assert.deepEqual([recovery?.["by"], recovery?.["owner_id"]], ["holdfast", "holdfast:job:j1"]);
      assert.match(String(recovery?.["why"]), /lease passed/u);
      assert.equal((await client.locks.checkFence(path, fence)).valid, false);
      again.signal("SIGKILL");
      await again.ended;
    });

    test("a worker that is stopped past its lease cannot complete its job, which runs again once with a new fence [W3 W11 X3]", async (t) => {
      const { client, url } = await serverOf(t, { map });
      const worker = await startWorkerProcess(t, url, "job");
      const fence = await started(client, worker, "job", path);
      worker.signal("SIGSTOP");
      const next = await startWorkerProcess(t, url, "job");
      const [word, id, , newFence] = (await next.line()).split(" ");
      assert.deepEqual([word, id], ["started", "j1"]);
      assert.notEqual(newFence, fence);
      assert.equal((await client.locks.checkFence(path, fence)).valid, false);
      assert.equal((await client.locks.checkFence(path, newFence ?? "")).valid, true);
      worker.signal("SIGCONT");
      assert.deepEqual([await worker.line(), await worker.line()], ["aborted j1", "late jobs.claim_stale"]);
      next.go();
      const { state, attempt } = await client.jobs.wait("j1");
      assert.deepEqual([state, attempt], ["completed", 1]);
      assert.deepEqual(await holdersOf(client, path), []);
    });
  });
}
