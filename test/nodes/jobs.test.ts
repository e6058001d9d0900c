/** Jobs on two nodes over one Postgres. Claims and caps are rows of the shared journal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunningJob } from "../../sdk/src/client/jobs/running-job.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
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

/** The starts and ends of jobs in the order of the journal, and the caps that held at each of them. */
class StartHistory {
  readonly running = new Map<string, number>();
  readonly backlog = new Map<string, number>();
  cap = Infinity;
  most = 0;
  /** Starts of A minus starts of B, over the time in which both could be started. */
  #lead = { now: 0, least: 0, most: 0 };

  take(name: string, data: JsonObject): void {
    const project = data["project"] as string;
    if (name === "evt.jobs.configured")
      this.cap = (data["settings"] as { caps: { max_jobs_per_project: number } }).caps.max_jobs_per_project;
    else if (name === "evt.jobs.submitted") this.#add(this.backlog, project, 1);
    else if (name === "evt.jobs.started") this.#start(project);
    else this.#add(this.running, project, -1);
  }

  #start(project: string): void {
    const isStartable = (each: string): boolean =>
      (this.backlog.get(each) ?? 0) > 0 && (this.running.get(each) ?? 0) < this.cap;
    assert.ok(isStartable(project), `${project} starts below its cap`);
    if (!isStartable("A") || !isStartable("B")) {
      if (project === "A" || project === "B") this.#lead = { now: 0, least: 0, most: 0 };
    } else if (project === "A" || project === "B") {
      const now = this.#lead.now + (project === "A" ? 1 : -1);
      this.#lead = { now, least: Math.min(this.#lead.least, now), most: Math.max(this.#lead.most, now) };
    }
    this.most = Math.max(this.most, this.#lead.most - this.#lead.least);
    this.#add(this.backlog, project, -1);
    this.#add(this.running, project, 1);
  }

  #add(counts: Map<string, number>, project: string, by: number): void {
    counts.set(project, (counts.get(project) ?? 0) + by);
  }
}

test("two projects take turns over two nodes with three types, mixed costs, different offers and changing caps [W8 W11]", async () => {
  const shared = shareJournal(await processPostgres());
  try {
    const nodes = (await Promise.all([1, 2].map(() => shared.node()))) as [PostgresNode, PostgresNode];
    const [{ client: first }, { client: second }] = nodes;
    const names = ["configured", "submitted", "started", "completed"].map((name) => `evt.jobs.${name}`);
    const events = first.watch({ after: await first.cursor(), names });
    await first.jobs.configure({ maxJobsPerProject: 2, maxGlobalJobs: 4 });
    const plan = Array.from({ length: 60 }, (_none, index) => {
      const project = ["A", "B", "C"][index % 3] ?? "";
      // A and B have equal jobs. The jobs of C have other types and any cost.
      const terms =
        project === "C" ? { type: index % 2 === 0 ? "b" : "c", cost: 1 + (index % 9) } : { type: "a", cost: 1 };
      return { ...terms, project };
    });
    await Promise.all([first.jobs.submitMany(plan.slice(0, 30)), second.jobs.submitMany(plan.slice(30))]);
    const handler = async (): Promise<void> => {
      await new Promise(setImmediate);
    };
    const workers = await Promise.all([
      first.jobs.work(["a", "b"], handler, { slots: 2 }),
      second.jobs.work(["a", "c"], handler, { slots: 3 }),
    ]);
    const history = new StartHistory();
    let [completed, taken] = [0, 0];
    for await (const { name, data } of events) {
      history.take(name, data as JsonObject);
      taken += 1;
      completed += name === "evt.jobs.completed" ? 1 : 0;
      if (taken % 40 === 0) await second.jobs.configure({ maxJobsPerProject: 1 + (taken % 3) });
      if (completed === plan.length) break;
    }
    assert.ok(history.most <= 1, `A and B differ by ${String(history.most)} starts`);
    await Promise.all(workers.map((worker) => worker.drain()));
  } finally {
    await shared.close();
  }
});
