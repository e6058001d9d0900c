/** Jobs on two nodes over one Postgres. Claims and caps are rows of the shared journal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunningJob } from "../../sdk/src/client/jobs/running-job.ts";
import { type PostgresNode, shareJournal } from "./postgres-nodes.ts";
import { processPostgres } from "./process-postgres.ts";

test("workers on two nodes run each job once, within the caps, and an old claim is refused on both nodes [W8 W11 X7]", async () => {
  const shared = shareJournal(await processPostgres());
  try {
    const nodes = (await Promise.all([1, 2].map(() => shared.node()))) as [PostgresNode, PostgresNode];
    const [{ client: first }, { client: second }] = nodes;
    await first.jobs.configure({ maxJobsPerProject: 2, maxGlobalJobs: 3 });
    const running = { A: 0, B: 0 };
    const most = { A: 0, B: 0, all: 0 };
    const ran: string[] = [];
    const claims: { readonly id: string; readonly claim: string }[] = [];
    const handler = async ({ id, claim, project }: RunningJob): Promise<void> => {
      const name = project as keyof typeof running;
      running[name] += 1;
      most[name] = Math.max(most[name], running[name]);
      most.all = Math.max(most.all, running.A + running.B);
      ran.push(id);
      claims.push({ id, claim });
      await new Promise(setImmediate);
      running[name] -= 1;
    };
    const workers = await Promise.all(nodes.map(({ client }) => client.jobs.work("a", handler, { slots: 4 })));
    const ids = Array.from({ length: 20 }, (_, index) => `j${String(index)}`);
    await Promise.all(
      ids.map((id, index) => {
        const { client } = nodes[index % 2] ?? nodes[0];
        return client.jobs.submit("a", undefined, { id, project: index % 4 < 2 ? "A" : "B" });
      }),
    );
    const ends = await Promise.all(ids.map((id) => second.jobs.wait(id)));
    assert.deepEqual(
      new Set(ends.map(({ state, attempt }) => `${state} ${String(attempt)}`)),
      new Set(["completed 1"]),
    );
    assert.deepEqual(ran.toSorted(), ids.toSorted());
    assert.ok(most.A <= 2 && most.B <= 2 && most.all <= 3, JSON.stringify(most));
    const [old = { id: "", claim: "" }] = claims;
    for (const { client } of nodes)
      await assert.rejects(client.operations.jobs.complete(old), { code: "jobs.claim_stale" });
    assert.equal((await first.jobs.stats()).running, 0);
    await Promise.all(workers.map((worker) => worker.drain()));
  } finally {
    await shared.close();
  }
});
