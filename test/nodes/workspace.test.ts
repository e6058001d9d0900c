/** The jobs of the workspace on two nodes over one Postgres, each with a storage root and a worker of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Client } from "@holdfast/sdk";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { ServiceKeeper } from "../../server/src/services/service-keeper.ts";
import { runWorkers } from "../../server/src/workers/run-workers.ts";
import { operatorSecret } from "../access/gated-node.ts";
import { doorsOfServices } from "../doors/doors-of-services.ts";
import { temporaryRoot } from "../observe/temporary-root.ts";
import { encodePng } from "../workers/plain-png.ts";
import { shareJournal } from "./postgres-nodes.ts";
import { processPostgres } from "./process-postgres.ts";

const image = encodePng({ width: 20, height: 10, channels: 3, pixels: new Uint8Array(600).fill(7) });

/** A worker that knows these addresses only, and no folder. */
async function startWorker(name: string, urls: readonly string[]) {
  const client = await connect(urls, { token: operatorSecret, transport: "http" });
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  const workers = await runWorkers({
    ...{ client, addresses: urls, slots: 1, rootFolders: {} },
    ...{ clock: systemClock, name, report },
  });
  return {
    workers,
    async [Symbol.asyncDispose]() {
      await workers[Symbol.asyncDispose]();
      await client.close();
    },
  };
}

async function ask(client: Client, operation: string, input: JsonObject): Promise<JsonObject> {
  return (await client.run(`workspace.${operation}`, input)) as JsonObject;
}

/** The worker that runs the first attempt of a job. */
async function startedBy(client: Client, after: string, job: string): Promise<unknown> {
  for await (const { data } of client.watch({ after, names: ["evt.jobs.started"], subject: `job/${job}` }))
    return (data as JsonObject)["worker"];
  return undefined;
}

/** The worker that offers the jobs of a root. */
async function workerOf(client: Client, root: string): Promise<string | undefined> {
  const { items } = await client.jobs.listWorkers();
  return items.find(({ types }) => types.includes(`workspace.backup@${root}`))?.worker;
}

async function makeProject(client: Client, root: string): Promise<void> {
  const project = { project: root };
  await ask(client, "create-project", { ...project, name: root, root, lock: "take" });
  await ask(client, "create-map", { ...project, map: "m", name: "m", lock: "take" });
}

test("a job of the workspace runs on the worker at the root of its project, and waits while that worker is away [W9 W11]", async () => {
  const shared = shareJournal(await processPostgres(), "workers");
  await using opened = new AsyncDisposableStack();
  opened.defer(() => shared.close());
  const urls: string[] = [];
  for (const root of ["left", "right"]) {
    const { services } = await shared.node();
    const doors = opened.use(await doorsOfServices(services));
    const own = opened.use(await temporaryRoot(root, root, doors.url));
    const keeper = new ServiceKeeper([own.service], { services, report: () => undefined });
    await keeper.start();
    opened.defer(() => keeper.stop());
    urls.push(doors.url);
  }
  const [first = "", second = ""] = urls;
  const client = opened.use(await connect(urls, { token: operatorSecret }));
  let left = await startWorker("left", [first]);
  opened.defer(() => left[Symbol.asyncDispose]());
  const right = opened.use(await startWorker("right", [second]));
  assert.deepEqual([left.workers.roots, right.workers.roots], [["left"], ["right"]]);
  const unnamed = ask(client, "create-project", { project: "p", name: "p", lock: "take" });
  await assert.rejects(unnamed, { code: "workspace.root_ambiguous" });

  for (const root of ["left", "right"]) {
    await makeProject(client, root);
    await using publish = await client.files.publish(`import/${root}/u1`, { root });
    await publish.write("plan.png", image);
    await publish.commit();
    const after = await client.cursor();
    const input = { project: root, map: "m", upload: "u1", path: "plan.png", tiles: true };
    const { job } = await ask(client, "import-floorplan", input);
    assert.equal(await startedBy(client, after, job as string), await workerOf(client, root));
    const { state, result } = await client.jobs.wait(job as string);
    assert.deepEqual([state, result], ["completed", { version: 1, width: 20, height: 10, tiles: 1 }]);
    const { items } = await client.files.listTargets({ under: `project/${root}` });
    assert.deepEqual(
      items.map((found) => [found.target, found.root]),
      ["floorplan", "tiles"].map((target) => [`project/${root}/map/m/${target}`, root]),
    );
  }

  await left[Symbol.asyncDispose]();
  const { job } = await ask(client, "recalculate-project", { project: "left" });
  const other = await ask(client, "recalculate-project", { project: "right" });
  assert.equal((await client.jobs.wait(other["job"] as string)).state, "completed");
  assert.equal((await client.jobs.get(job as string)).state, "ready", "the worker of the other root is free");
  left = await startWorker("left", [first]);
  assert.equal((await client.jobs.wait(job as string)).state, "completed");

  // A backup into another root runs there. This worker cannot read the files, which costs the job no attempt.
  const returned = client.watch({ after: await client.cursor(), names: ["evt.jobs.released"] });
  const backup = (await ask(client, "backup-project", { project: "left", root: "right" }))["job"] as string;
  await returned.next();
  await returned.return?.();
  const waiting = await client.jobs.get(backup);
  assert.deepEqual([waiting.state, waiting.attempt], ["scheduled", 0]);
  await right.workers[Symbol.asyncDispose]();
  await using _both = await startWorker("both", [second, first]);
  await client.jobs.change(backup, { runAt: new Date(0).toISOString() });
  assert.equal((await client.jobs.wait(backup)).state, "completed");
  const { root, meta } = await client.files.get(`backup/left/${backup}`);
  assert.deepEqual([root, meta?.["targets"]], ["right", 2]);
});
