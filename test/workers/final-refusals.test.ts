/** A refusal that every attempt would get ends a job of the workspace at once. Others cost an attempt. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HoldfastError } from "holdfast";
import { problems } from "@holdfast/sdk/contract";
import { finalCodes } from "../../server/src/workers/workspace/final-codes.ts";
import { runWorkspaceJob } from "../../server/src/workers/workspace/run-workspace-job.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { workedServer } from "./worked-server.ts";

const map = { project: "p", map: "m" } as const;
const take = { lock: "take" } as const;

test("each code that ends a job at once is a problem that its own text says never to repeat [W9]", () => {
  const known: Readonly<Record<string, { readonly retry: string }>> = problems;
  for (const code of finalCodes) assert.equal(known[code]?.retry, "never", code);
});

test("a job of the workspace whose files are gone fails at its first attempt with the code of the refusal [W9]", async () => {
  await using worked = await workedServer();
  const { client, ask, work } = worked;
  await ask("create-project", { project: "p", name: "House", ...take });
  await ask("create-map", { ...map, name: "Ground floor", ...take });
  const jobs = [
    ["generate-tiles", { ...map }],
    ["import-floorplan", { ...map, upload: "u1", path: "plan.png" }],
  ] as const;
  for (const [operation, input] of jobs) {
    const { id, state } = await work(operation, input);
    const { attempt, error } = (await client.jobs.get(id)) as unknown as { attempt: number; error: JsonObject };
    assert.deepEqual([state, attempt, error["code"]], ["failed", 1, "files.version_unknown"], operation);
  }
});

test("a job of the workspace whose refusal is temporary is tried again [W9]", async () => {
  const tried: number[] = [];
  await using worked = await workedServer({
    makeHandler: (client, rootFolder) => (job) => {
      tried.push(job.attempt);
      // The publish of the first attempt ends with a restart of its node.
      if (job.attempt > 1) return runWorkspaceJob(job, client, rootFolder);
      const refused = { ...client, as: () => ({ ...client, run: refuseOnce }) } as unknown as typeof client;
      return runWorkspaceJob(job, refused, rootFolder);
    },
  });
  const refuseOnce = () => Promise.reject(new HoldfastError("files.commit", "files.publish_unknown"));
  await worked.ask("create-project", { project: "p", name: "House", ...take });
  const { state } = await worked.work("recalculate-project", { project: "p" });
  assert.deepEqual([state, tried], ["completed", [1, 2]]);
});
