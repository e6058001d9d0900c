/** The conditions of a recovery with workers in processes of their own, which are killed or stopped. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { counts } from "../prove/counts.ts";
import { folderFor, serverFor } from "../socket/with-server.ts";
import { startWorkerProcess } from "./worker-process.ts";

/** A client with the operator token of the folder, which changes caps and kinds. */
function asOperator(url: string, folder: string): Promise<Client> {
  return connect(url, { token: readFileSync(join(folder, ".holdfast", "operator-token"), "utf8").trim() });
}

/** The owners that hold a lock. */
async function holdersOf(client: Client, path: string): Promise<readonly string[]> {
  return (await client.locks.status(path)).holders.map(({ ownerId }) => ownerId);
}

for (let round = 0; round < counts.jobRecoveries; round += 1) {
  test("each condition of a recovery holds for jobs of real workers that are killed or stopped [W3 W11 X3]", async (t) => {
    const folder = await folderFor(t);
    const { url } = await serverFor(t, join(folder, ".holdfast"));
    await using client = await asOperator(url, folder);
    const map = { shape: "project/map", policy: "recover", order: 2 } as const;
    await client.operations.configureLocks({
      kinds: {
        map: { ...map, ttlMs: 45_000, graceMs: 40_000 },
        sketch: { shape: "project/map/sketch", policy: "recover", order: 3, ttlMs: 60_000, graceMs: 10_000 },
      },
    });
    const short = { leaseMs: 30_000 };
    await client.jobs.configure({ types: { kept: short, lost: short, paused: short, held: { leaseMs: 60_000 } } });
    const paths = { kept: "project/a/map/m", lost: "project/b/map/m", paused: "project/c/map/m" };
    const held = "project/d/map/m/sketch/s";
    const kept = await startWorkerProcess(t, url, "kept");
    await submitted(client, kept, "kept", paths.kept);
    await Promise.all([
      isRecovered(client, await startWorkerProcess(t, url, "lost"), paths.lost),
      isAdopted(client, paths.paused, () => startWorkerProcess(t, url, "paused")),
      staysForItsLease(client, await startWorkerProcess(t, url, "held"), held),
    ]);
    // The others took longer than lease and grace. Heartbeats kept this job and its lock.
    assert.deepEqual(await holdersOf(client, paths.kept), ["holdfast:job:kept"]);
    kept.go();
    assert.equal((await client.jobs.wait("kept")).state, "completed");
    assert.deepEqual(await holdersOf(client, paths.kept), []);
  });
}

type WorkerProcess = Awaited<ReturnType<typeof startWorkerProcess>>;

async function submitted(client: Client, worker: WorkerProcess, type: string, path: string): Promise<string> {
  await client.jobs.submit(type, { wait: true }, { id: type, locks: [path] });
  const line = await worker.line();
  assert.match(line, new RegExp(`^started ${type} 1 `, "u"));
  assert.deepEqual(await holdersOf(client, path), [`holdfast:job:${type}`]);
  return line.split(" ")[3] ?? "";
}

/** The lock of a killed worker is stale after its lease, excludes others, and is recovered after the grace by an entry. */
async function isRecovered(client: Client, worker: WorkerProcess, path: string): Promise<void> {
  const events = client.watch({ after: await client.cursor(), names: ["evt.lock.recovered"] });
  await submitted(client, worker, "lost", path);
  worker.signal("SIGKILL");
  const losses = client.watch({ after: await client.cursor(), names: ["evt.jobs.lost"], subject: "job/lost" });
  await losses.next();
  await losses.return?.();
  assert.deepEqual(await holdersOf(client, path), ["holdfast:job:lost"]);
  const { agentId, secret } = await client.agents.register({ name: "other" });
  await assert.rejects(client.as({ agentId, secret }).operations.acquireLock({ paths: [path], ttlMs: 45_000 }), {
    code: "lock_denied",
  });
  for (;;) {
    const next = await events.next();
    assert.notEqual(next.done, true);
    if ((next.value as { readonly subject: string }).subject.includes("project/b")) break;
  }
  assert.deepEqual(await holdersOf(client, path), []);
  await events.return?.();
}

/** A stopped worker loses its job: another one adopts the lock with a new fence, and the late end is refused. */
async function isAdopted(client: Client, path: string, start: () => Promise<WorkerProcess>): Promise<void> {
  const worker = await start();
  const fence = await submitted(client, worker, "paused", path);
  worker.signal("SIGSTOP");
  const next = await start();
  const [word, id, , newFence] = (await next.line()).split(" ");
  assert.deepEqual([word, id], ["started", "paused"]);
  assert.notEqual(newFence, fence);
  worker.signal("SIGCONT");
  assert.equal(await worker.line(), "aborted paused");
  next.go();
  const { state, attempt } = await client.jobs.wait("paused");
  assert.deepEqual([state, attempt], ["completed", 1]);
}

/** A cancelled job whose worker is stopped has no claim after 30 seconds. Its lock stays until its lease has passed. */
async function staysForItsLease(client: Client, worker: WorkerProcess, path: string): Promise<void> {
  await submitted(client, worker, "held", path);
  worker.signal("SIGSTOP");
  await client.jobs.cancel({ id: "held" });
  assert.equal((await client.jobs.wait("held")).state, "cancelled");
  assert.deepEqual(await holdersOf(client, path), ["holdfast:job:held"]);
  const events = client.watch({ after: await client.cursor(), names: ["evt.lock.recovered"] });
  while ((await holdersOf(client, path)).length > 0) await events.next();
  await events.return?.();
}
