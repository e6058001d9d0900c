/** Restores whose worker is cut off between two attempts, or killed, while a reader asks for the objects all the time. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "holdfast";
import { runWorkspaceJob, workspaceTypes } from "../../server/src/workers/workspace/run-workspace-job.ts";
import { ManualClock } from "../engine/manual-clock.ts";
import { operatorToken } from "../files/files-server.ts";
import { counts } from "../prove/counts.ts";
import { spawnChild } from "../scenario/spawn-child.ts";
import { restoredProject } from "./restored-project.ts";
import { workedServer } from "./worked-server.ts";
import type { WorkedServer } from "./worked-server.ts";

/** Stops the worker at an operation. Its job returns to the queue without its locks. */
class CutOff extends Error {}

test("no reader sees a project between two attempts of its restore, although no job holds a lock then [W6 W9 W12]", async () => {
  let cutAt: string | undefined;
  const clock = new ManualClock();
  await using worked = await workedServer({
    clock,
    makeHandler: (client, rootFolder) => async (job) => {
      const cut = { ...client, as: (agent: Parameters<typeof client.as>[0]) => cutOff(client.as(agent)) };
      try {
        return await runWorkspaceJob(job, job.type === "workspace.restore" ? cut : client, rootFolder);
      } catch (error) {
        if (!(error instanceof CutOff)) throw error;
        await worked.server.operator.jobs.pause({ type: "workspace.restore" });
        throw job.snooze(200);
      }
    },
  });
  const cutOff = (client: typeof worked.client): typeof worked.client => ({
    ...client,
    run: (async (operation: string, input: never) => {
      if (operation === cutAt) {
        cutAt = undefined;
        throw new CutOff();
      }
      return client.run(operation, input);
    }) as typeof client.run,
  });
  const { client } = worked;
  const { operator } = worked.server;
  const project = await restoredProject(worked);
  for (const operation of ["clear-records", "write-records", "end-restore"]) {
    const changed = await project.change();
    cutAt = `workspace.${operation}`;
    const released = client.watch({ after: await client.cursor(), names: ["evt.jobs.released"] });
    const job = await project.request();
    await project.read([project.whole, changed], async () => {
      await released.next();
      await released.return?.();
      assert.deepEqual((await client.locks.status("project/p")).holders, []);
      for (const [name, input] of [
        ["list-objects", { map: "m" }],
        ["update-project", { changes: { name: "x" } }],
      ] as const) {
        const asked = operator.run(`workspace.${name}`, { project: "p", ...input, lock: "take" });
        await assert.rejects(asked, { code: "workspace.restoring" }, name);
      }
      await operator.jobs.resume({ type: "workspace.restore" });
      await clock.pass(1_000);
      const { state, attempt } = await client.jobs.wait(job);
      assert.deepEqual([state, attempt], ["completed", 1], operation);
    });
    assert.equal(await project.state(), project.whole, operation);
  }
});

const program = new URL("killed-worker.ts", import.meta.url).pathname;

/** Starts a worker in a process of its own, which kills itself at a request. */
function startWorker(t: TestContext, { server }: WorkedServer, killAt: number) {
  const args = [program, server.url, operatorToken, server.root, String(killAt)];
  // A killed worker leaves its temporary folder, which is removed with that of the server.
  const env = { TMPDIR: dirname(server.root) };
  const child = spawnChild(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env });
  t.after(() => child.kill("SIGKILL"));
  const exited = once(child, "exit").then(([, signal]: readonly unknown[]) => {
    assert.equal(signal, "SIGKILL");
  });
  return {
    exited,
    /** The number of requests of its job. */
    requests: async () => Number((await once(createInterface({ input: child.stdout }), "line"))[0]),
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

test("a restore whose worker is killed with SIGKILL at any moment ends equal to the backup [W3 W6 W12 X3]", async (t) => {
  const clock = new ManualClock();
  await using worked = await workedServer({ clock });
  const { client } = worked;
  const project = await restoredProject(worked);
  await worked.stopWorking();
  let total = 0;
  for (let round = 0; round <= counts.workerKills; round += 1) {
    const changed = await project.change();
    const job = await project.request();
    // The first round counts the requests. The kills of the others are spread over them.
    const killAt = round === 0 ? 0 : Math.ceil((total * round) / (counts.workerKills + 1));
    const title = `killed at request ${String(killAt)} of ${String(total)}`;
    const lost = client.watch({ after: await client.cursor(), names: ["evt.jobs.lost"], subject: `job/${job}` });
    await project.read([project.whole, changed], async () => {
      const worker = startWorker(t, worked, killAt);
      if (round === 0) {
        total = await worker.requests();
        await client.jobs.wait(job);
        await worker.stop();
        // Its offer ends.
        return clock.pass(30_000, 1_000);
      }
      await worker.exited;
      // The lease of the job ends, and the retry becomes due. No worker offers slots in this time.
      const isLost = lost.next();
      await clock.pass(60_000, 1_000);
      assert.notEqual((await isLost).done, true);
      await using next = await connect(worked.server.url, { token: operatorToken });
      await using _worker = await next.jobs.work(workspaceTypes(true, ["main"]), (each) =>
        runWorkspaceJob(each, next, worked.rootFolder),
      );
      await client.jobs.wait(job);
    });
    await lost.return?.();
    assert.equal((await client.jobs.wait(job)).state, "completed", title);
    assert.equal(await project.state(), project.whole, title);
  }
});

test("a restore waits without closing the project while a reader has pinned a target that the backup lacks [W6 W9]", async () => {
  const clock = new ManualClock();
  await using worked = await workedServer({ clock });
  const { client } = worked;
  const project = await restoredProject(worked);
  const target = "project/p/map/m/later";
  await using publish = await client.files.publish(target);
  await publish.write("a.txt", "later");
  const { version } = await publish.commit();
  {
    await using _lock = await client.acquire({ path: "project/p/map/m", mode: "read" });
    await client.files.pin({ target, version, ttlMs: 600_000 });
  }
  const changed = await project.change();
  const released = client.watch({ after: await client.cursor(), names: ["evt.jobs.released"] });
  const job = await project.request();
  await released.next();
  await released.return?.();
  assert.equal(await project.state(), changed, "the project is open while the restore waits");
  assert.equal((await client.jobs.get(job)).attempt, 0, "the wait costs no attempt");
  await client.files.unpin({ target, version });
  // The offer of a worker ends in this time, because it counts its own.
  await worked.stopWorking();
  await clock.pass(40_000, 1_000);
  await using _worker = await client.jobs.work(workspaceTypes(true, ["main"]), (each) =>
    runWorkspaceJob(each, client, worked.rootFolder),
  );
  assert.equal((await client.jobs.wait(job)).state, "completed");
  assert.equal(await project.state(), project.whole);
  const { items } = await client.files.listTargets({ under: "project/p" });
  assert.ok(!items.some((each) => each.target === target));
});
