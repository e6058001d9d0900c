/** Replies, notices and lists about jobs with large payloads, which are bounded in bytes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connect } from "holdfast";
import { jobLimits } from "../../server/src/packs/jobs/job-tables.ts";
import { serverFor } from "../socket/with-server.ts";
import { JobDecider, startedIn } from "./job-decider.ts";

interface SentJob {
  readonly id: string;
  readonly claim: string;
  readonly payload?: string;
  readonly omitted?: true;
}

/** Two bytes for each character, so that characters and bytes differ. */
const payload = "ü".repeat(100_000);
const names = Array.from({ length: 20 }, (_none, index) => `j${index + 1}`);
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Bytes of a reply without the payloads, at most. */
const restBytes = 20_000;

function assertBounded(jobs: readonly SentJob[], count: number): void {
  assert.equal(jobs.length, count);
  assert.ok(bytesOf(jobs) <= jobLimits.replyBytesMax + restBytes, String(bytesOf(jobs)));
  const [whole, brief] = [jobs.filter((job) => job.payload === payload), jobs.filter((job) => job.omitted)];
  assert.deepEqual([whole.length, whole.length + brief.length], [5, count]);
  assert.ok(
    jobs.slice(0, 5).every((job) => job.omitted === undefined),
    "the first jobs are whole",
  );
}

describe("replies with many large jobs", () => {
  const nextOf = (result: ReturnType<JobDecider["jobs"]>): readonly SentJob[] =>
    result.attachment?.["next"] as unknown as readonly SentJob[];

  test("an offer starts every job that has a slot, and its reply has the payloads that fit [X15]", () => {
    const node = new JobDecider();
    for (const id of names) node.submit(id, { payload });
    const worker = node.register();
    const offered = node.jobs("offer", { types: ["a"], slots: 20 }, worker);
    assert.deepEqual(startedIn(offered), names);
    assertBounded(nextOf(offered), 20);
    assertBounded(nextOf(node.jobs("offer", { types: ["a"], slots: 20 }, worker)), 20);
  });

  test("a call of jobs.take and a completion of many jobs fill all slots with a bounded reply [X15]", () => {
    const node = new JobDecider();
    const worker = node.register();
    for (const id of names) node.submit(id, { payload });
    const taken = nextOf(node.jobs("take", { types: ["a"], count: 20 }, worker));
    assertBounded(taken, 20);
    node.jobs("offer", { types: ["a"], slots: 20 }, worker);
    for (const id of names) node.submit(`next-${id}`, { payload });
    const jobs = taken.map(({ id, claim }) => ({ id, claim }));
    const completed = node.jobs("complete-many", { jobs }, worker);
    assert.equal(startedIn(completed).length, 20);
    assertBounded(nextOf(completed), 20);
  });

  test("a small job after large ones is whole if it fits", () => {
    const node = new JobDecider();
    for (const id of names) node.submit(id, { payload: id === "j20" ? 1 : payload });
    const next = nextOf(node.jobs("take", { types: ["a"], count: 20 }, node.register()));
    assert.deepEqual([next[18]?.omitted, next[19]?.payload], [true, 1]);
  });
});

describe("a server with many large jobs", () => {
  test("a worker over HTTP gets a bounded reply, and reads each omitted payload by its id [X15]", async (t) => {
    const { url } = await serverFor(t);
    await using client = await connect(url);
    for (const id of names) await client.jobs.submit("a", payload, { id });
    const { agentId, secret } = await client.agents.register({ name: "w" });
    const headers = { "content-type": "application/json", "x-agent-id": agentId, "x-agent-secret": secret };
    const body = JSON.stringify({ types: ["a"], count: 20 });
    const taken = await fetch(`${url}/v1/workers/me/take`, { method: "POST", headers, body });
    const { next } = (await taken.json()) as { readonly next: readonly SentJob[] };
    assertBounded(next, 20);
    for (const { id, omitted } of next) {
      if (omitted !== true) continue;
      const read = (await (await fetch(`${url}/v1/jobs/${id}`)).json()) as SentJob;
      assert.equal(read.payload, payload, id);
    }
  });

  test("a worker of the client runs all large jobs that start together with their payloads and checkpoints", async (t) => {
    const { url } = await serverFor(t);
    await using client = await connect(url);
    for (const id of names) await client.jobs.submit("a", payload, { id });
    const { agentId, secret } = await client.agents.register({ name: "first" });
    const first = client.as({ agentId, secret });
    const { next = [] } = await first.operations.jobs.take({ types: ["a"], count: 20 });
    for (const { id, claim } of next) await first.operations.jobs.progress({ id, claim, checkpoint: `at ${id}` });
    for (const { id, claim } of next) await first.operations.jobs.release({ id, claim });
    const seen: string[] = [];
    const run = (job: { readonly id: string; readonly payload: unknown; readonly checkpoint: unknown }): void => {
      assert.deepEqual([job.payload, job.checkpoint], [payload, `at ${job.id}`]);
      seen.push(job.id);
    };
    await using _worker = await client.jobs.work("a", run, { slots: 20 });
    const ends = await Promise.all(names.map((id) => client.jobs.wait(id)));
    assert.ok(ends.every(({ state }) => state === "completed"));
    assert.deepEqual(seen.toSorted(), names.toSorted());
  });

  test("a list of jobs or schedules with much data has short pages, which together have every item [X15]", async (t) => {
    const { url } = await serverFor(t);
    await using client = await connect(url);
    const locks = Array.from({ length: 100 }, (_none, index) => `free/${"x".repeat(900)}-${index}`);
    for (const id of names) await client.jobs.submit("a", null, { id, locks });
    for (const id of names.slice(0, 8)) {
      const schedule = { id, cron: "@daily", job: { type: "a", payload } };
      await client.operations.jobs.putSchedule(schedule);
    }
    for (const path of ["jobs?state=ready&", "schedules?"]) {
      const found: string[] = [];
      for (let after = ""; ;) {
        const page = await (await fetch(`${url}/v1/${path}limit=1000${after}`)).text();
        assert.ok(Buffer.byteLength(page) <= jobLimits.replyBytesMax + restBytes, `${path} ${page.length}`);
        const { items, next } = JSON.parse(page) as { items: readonly { id: string }[]; next: string | null };
        found.push(...items.map(({ id }) => id));
        if (next === null) break;
        after = `&after=${encodeURIComponent(next)}`;
      }
      assert.deepEqual(found.toSorted(), (path.startsWith("jobs") ? names : names.slice(0, 8)).toSorted());
    }
  });
});
