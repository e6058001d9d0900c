/** The worker processes that `holdfast up` starts, and `holdfast work workspace` next to it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { holdfast, run } from "../scenario/holdfast-command.ts";
import { folderFor } from "../socket/with-server.ts";
import { encodePng } from "./plain-png.ts";

interface WorkersHealth {
  readonly ready: boolean;
  readonly restarts: number;
  readonly details: { readonly processes: readonly number[] };
}

async function startServer(t: TestContext, more: readonly string[] = []) {
  const folder = await folderFor(t);
  const data = join(folder, ".holdfast");
  const program = holdfast(folder, ["up", "--json", "--data", data, ...more]);
  t.after(() => program.signal("SIGKILL"));
  const { url } = JSON.parse(await program.line(/"event":"up"/u)) as { readonly url: string };
  const client = await connect(url, { token: readFileSync(join(data, "operator-token"), "utf8").trim() });
  t.after(() => client.close());
  const workers = async (): Promise<WorkersHealth | undefined> => {
    const { services } = (await (await fetch(`${url}/health`)).json()) as { services: Record<string, WorkersHealth> };
    return services["workers"];
  };
  return { folder, data, url, program, client, workers };
}

/** The process reports itself after its offer. */
async function working(workers: () => Promise<WorkersHealth | undefined>): Promise<WorkersHealth> {
  for (;;) {
    const health = await workers();
    if (health?.ready === true && health.details.processes.length > 0) return health;
  }
}

async function makeProject(client: Client): Promise<void> {
  await client.run("workspace.create-project", { project: "p", name: "House", lock: "take" });
}

async function recalculate(client: Client): Promise<string> {
  const { job } = (await client.run("workspace.recalculate-project", { project: "p" })) as JsonObject;
  return (await client.jobs.wait(job as string)).state;
}

/** The worker reads the upload and cuts tiles in a process of its own. */
async function importFloorplan(client: Client): Promise<string> {
  const map = { project: "p", map: "m" };
  await client.run("workspace.create-map", { ...map, name: "Ground floor", lock: "take" });
  {
    await using publish = await client.files.publish("import/p/u1");
    const pixels = new Uint8Array(600).fill(9);
    await publish.write("plan.png", encodePng({ width: 20, height: 10, channels: 3, pixels }));
    await publish.commit();
  }
  const wanted = { ...map, upload: "u1", path: "plan.png", tiles: true };
  const { job } = (await client.run("workspace.import-floorplan", wanted)) as JsonObject;
  return (await client.jobs.wait(job as string)).state;
}

/** Waits for the next offer of a worker. */
async function nextOffer(client: Client, after: string): Promise<void> {
  const offers = client.watch({ after, names: ["evt.jobs.offered"] });
  await offers.next();
  await offers.return?.();
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("`holdfast up` starts a worker with the first project, starts it again after kill -9, and stops it", async (t) => {
  const { client, workers, url, program } = await startServer(t);
  assert.deepEqual((await workers())?.details.processes, [], "a server without a project has no such process");
  const start = await client.cursor();
  await makeProject(client);
  await nextOffer(client, start);
  assert.equal(await importFloorplan(client), "completed");
  const [first = 0] = (await working(workers)).details.processes;
  assert.ok(isAlive(first));
  const killed = await client.cursor();
  process.kill(first, "SIGKILL");
  await nextOffer(client, killed);
  const { restarts, details } = await working(workers);
  const [second = 0] = details.processes;
  assert.deepEqual([restarts, second === first], [1, false]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^holdfast_service_restarts_total\{service="workers"\} 1$/mu);
  await client.close();
  program.signal("SIGTERM");
  await program.ended;
  assert.equal(isAlive(second), false, "the worker stops before the server");
});

test("a worker of a server that is killed ends too, and `--workers 0` starts none", async (t) => {
  const { client, workers, program } = await startServer(t);
  const start = await client.cursor();
  await makeProject(client);
  await nextOffer(client, start);
  await working(workers);
  program.signal("SIGKILL");
  // The worker has the same standard error, which ends with the last process.
  await program.ended;
  const other = await startServer(t, ["--workers", "0"]);
  assert.equal(await other.workers(), undefined);
  const { folder, data } = other;
  const refused = await run(folder, ["work", "workspace", "--data", data, "--slots", "1001"]);
  assert.equal(refused.code, 2);
  const worker = holdfast(folder, ["work", "workspace", "--json", "--data", data]);
  t.after(() => worker.signal("SIGKILL"));
  const line = JSON.parse(await worker.line(/"event":"working"/u)) as Readonly<Record<string, readonly string[]>>;
  assert.deepEqual([line["types"]?.length, line["roots"]], [7, []], "no storage root is announced yet");
  await makeProject(other.client);
  assert.equal(await recalculate(other.client), "completed");
  worker.signal("SIGTERM");
  assert.equal((await worker.ended).code, 0);
  assert.deepEqual((await other.client.jobs.listWorkers()).items, []);
});
