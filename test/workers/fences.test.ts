/** Every write of a worker of the workspace contains the fence of its job, and is refused without it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HoldfastError } from "holdfast";
import type { Client } from "holdfast";
import { workspace, workspaceJobTypes } from "@holdfast/sdk/contract";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { runWorkspaceJob, workspaceTypes } from "../../server/src/workers/workspace/run-workspace-job.ts";
import { encodePng } from "./plain-png.ts";
import { restoredProject } from "./restored-project.ts";
import { workedServer } from "./worked-server.ts";

const map = { project: "p", map: "m" } as const;

/** The fence of no lock. */
const deadFence = "1.1";

/** Codes of writes whose fence is missing or dead. */
const refusals = ["input_invalid", "workspace.job_required", "workspace.role_missing", "fence_stale"];

const isWrite = (operation: string): boolean =>
  workspace.operations.some(({ name, kind }) => name === operation && kind === "write");

/** A client that sends each write of a job without its fence and with a dead one before it sends the right one. */
function tryingWithoutFence(client: Client, onTried: (operation: string) => void): Client {
  const refused = async (of: Client, operation: string, input: JsonObject): Promise<void> => {
    const { fence: _fence, ...rest } = input;
    for (const wrong of [rest, { ...rest, fence: deadFence }])
      await assert.rejects(of.run(operation, wrong), (error) => {
        assert.ok(error instanceof HoldfastError && refusals.includes(error.code), `${operation}: ${String(error)}`);
        return true;
      });
    onTried(operation);
  };
  const tried = (of: Client): Client => ({
    ...of,
    run: (async (operation: string, input: JsonObject) => {
      if (isWrite(operation)) await refused(of, operation, input);
      return of.run(operation, input);
    }) as unknown as Client["run"],
    files: new Proxy(of.files, {
      get: (files, name) => {
        if (name === "publish")
          return async (target: string, options: object) => {
            await refused(of, "files.open", { target, root: "main" });
            return files.publish(target, options);
          };
        if (name === "delete")
          return async (target: string, fence: string) => {
            await refused(of, "files.delete", { target });
            return files.delete(target, fence);
          };
        return Reflect.get(files, name) as unknown;
      },
    }),
  });
  return { ...client, as: (agent) => tried(client.as(agent)) };
}

test("each write of the seven job types is refused without the fence of its job, and done with it [W12]", async () => {
  await using worked = await workedServer();
  const { server, client, ask, upload, work } = worked;
  const project = await restoredProject(worked);
  const image = encodePng({ width: 20, height: 10, channels: 3, pixels: new Uint8Array(600).fill(7) });
  await upload("u1", "plan.png", image);
  const geometry = { type: "Point", coordinates: [1, 2] };
  await upload("u2", "a.ndjson", JSON.stringify({ type: "Feature", geometry, properties: {} }));
  await worked.stopWorking();

  // These are all rights that a worker needs.
  const all = ["read", "write", "lock"] as const;
  const wes = await server.clientOf("wes", [
    ...["project/p", "export/p", "backup/p", "import/p"].map((under) => ({ verbs: [...all], under })),
    { verbs: ["work"], under: "job" },
    { verbs: ["register"], under: "**" },
  ]);
  const writes = new Map<string, Set<string>>();
  await using _worker = await wes.jobs.work(workspaceTypes(true, ["main"]), (job) => {
    const of = new Set<string>();
    writes.set(job.type, of);
    return runWorkspaceJob(
      job,
      tryingWithoutFence(wes, (operation) => of.add(operation)),
      worked.rootFolder,
    );
  });
  const done = async (operation: string, input: JsonObject): Promise<void> => {
    const { state, error } = await work(operation, input);
    assert.deepEqual([state, error], ["completed", undefined], operation);
  };
  await done("import-floorplan", { ...map, upload: "u1", path: "plan.png" });
  await done("generate-tiles", map);
  await done("export-map", map);
  await done("import-into-project", { project: "p", upload: "u2", path: "a.ndjson" });
  await done("recalculate-project", { project: "p" });
  await done("backup-project", { project: "p" });
  await project.change();
  await ask("create-map", { project: "p", map: "later", name: "Later", lock: "take" });
  const { state } = await client.jobs.wait(await project.request());
  assert.equal(state, "completed");
  assert.equal(await project.state(), project.whole);
  const { items } = await client.files.listTargets({ under: "project/p" });
  assert.deepEqual(
    items.map(({ target }) => target),
    ["project/p/map/m/notes"],
    "the restore deletes the targets that the backup lacks",
  );
  assert.deepEqual([...writes.keys()].sort(), Object.values(workspaceJobTypes).sort());
  assert.deepEqual(Object.fromEntries([...writes].map(([type, of]) => [type, [...of].sort()])), {
    "workspace.import-floorplan": ["files.open"],
    "workspace.generate-tiles": ["files.open"],
    "workspace.export-map": ["files.open"],
    "workspace.import": ["workspace.change-objects", "workspace.create-map", "workspace.create-sketch"],
    "workspace.recalculate": ["workspace.set-totals"],
    "workspace.backup": ["files.open"],
    "workspace.restore": [
      ...["files.delete", "files.open", "workspace.begin-restore", "workspace.clear-records"],
      ...["workspace.end-restore", "workspace.write-records"],
    ],
  });
});
