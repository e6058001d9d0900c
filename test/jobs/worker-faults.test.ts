import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HoldfastError } from "holdfast";
import type { RunningJob } from "../../sdk/src/client/jobs/running-job.ts";
import { clientNode, soon } from "../client/client-node.ts";
import { lossyClient } from "../client/lossy-client.ts";

/** Resolves with the reason when the signal of a job aborts. */
const aborted = ({ signal }: RunningJob): Promise<Error> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      resolve(signal.reason as Error);
    });
  });

describe("workers and lost connections", () => {
  test("a job whose result is refused fails, and its slot runs the next job", async () => {
    await using node = await clientNode();
    const client = node.fresh("ann");
    await using _worker = await client.jobs.work("big", (job) => (job.id === "small" ? 1 : "x".repeat(70_000)));
    await client.jobs.submit("big", undefined, { id: "large" });
    await client.jobs.submit("big", undefined, { id: "small" });
    const [large, small] = await Promise.all([client.jobs.wait("large"), client.jobs.wait("small")]);
    assert.deepEqual([large.state, large.error?.code], ["failed", "jobs.result_too_large"]);
    assert.deepEqual([small.state, small.result], ["completed", 1]);
  });

  test("a worker reports the end of a job until the server has it", async () => {
    await using node = await clientNode();
    const { client, network, sent } = lossyClient(node, "ann");
    const errors: unknown[] = [];
    const worker = await client.jobs.work("mail", () => "sent", { onError: (error) => errors.push(error) });
    network.lossOf = (operation) => (operation === "jobs.complete" ? "unsent" : undefined);
    await client.jobs.submit("mail", undefined, { id: "j1" });
    const count = (): number => sent.filter((operation) => operation === "jobs.complete").length;
    await soon(() => count() > 0);
    // Longer than the retries of one call.
    await node.clock.pass(30_000, 500);
    assert.equal((await client.jobs.get("j1")).state, "running");
    assert.ok(errors.length > 0);
    network.lossOf = () => undefined;
    await node.clock.pass(2_000, 500);
    await soon(async () => (await client.jobs.get("j1")).state === "completed");
    await worker.drain();
  });

  test("a worker reports an outage once, and that it has ended, and reports the next outage again", async () => {
    await using node = await clientNode();
    const { client, network } = lossyClient(node, "ann");
    const reports: string[] = [];
    const onError = (error: unknown): void => void reports.push((error as HoldfastError).code);
    const onReconnect = (): void => void reports.push("reconnected");
    const worker = await client.jobs.work("mail", () => "sent", { onError, onReconnect });
    const outage = ["unreachable", "reconnected"];
    for (const expected of [outage, [...outage, ...outage]]) {
      network.lossOf = () => "unsent";
      await node.clock.pass(60_000, 500);
      network.lossOf = () => undefined;
      await node.clock.pass(30_000, 500);
      await soon(() => reports.length >= expected.length);
      assert.deepEqual(reports, expected);
    }
    await worker.drain();
  });

  test("a worker whose notices are refused listens again, and then runs the jobs that started meanwhile", async () => {
    await using node = await clientNode();
    const { client, network } = lossyClient(node, "ann");
    network.refusesListeners = true;
    const errors: string[] = [];
    const onError = (error: unknown): void => void errors.push((error as HoldfastError).code);
    const worker = await client.jobs.work("mail", () => "sent", { onError });
    await client.jobs.submit("mail", undefined, { id: "j1" });
    await soon(() => errors.length > 0);
    assert.equal((await client.jobs.get("j1")).state, "running");
    network.refusesListeners = false;
    await node.clock.pass(8_000, 500);
    assert.equal((await client.jobs.wait("j1")).state, "completed");
    assert.deepEqual(errors, ["watch_limit"]);
    await worker.drain();
  });

  test("a job without its payload does not run if its attempt ends before its worker reads it [X3]", async () => {
    await using node = await clientNode();
    const { client, network, sent } = lossyClient(node, "ann");
    const other = node.fresh("bob");
    const payload = "x".repeat(200_000);
    const ids = ["j1", "j2", "j3", "j4", "j5", "j6", "j7"];
    for (const id of ids) await other.jobs.submit("large", payload, { id });
    network.lossOf = (operation) => (operation === "jobs.get" ? "unsent" : undefined);
    const runs: string[] = [];
    let agent: RunningJob["agent"] = { agentId: "" };
    await using _worker = await client.jobs.work(
      "large",
      (job) => {
        agent = job.agent;
        runs.push(`${job.id} ${String(job.payload === payload)}`);
      },
      { slots: ids.length },
    );
    await soon(() => runs.length === 5 && sent.includes("jobs.get"));
    const worker = other.as(agent).operations.jobs;
    const claimOf = async (id: string) => ({ id, claim: (await other.jobs.get(id)).claim ?? "" });
    await worker.complete(await claimOf("j6"));
    await worker.release({ ...(await claimOf("j7")), delayMs: 0 });
    network.lossOf = () => undefined;
    await node.clock.pass(30_000, 500);
    const { state } = await other.jobs.wait("j7");
    assert.equal(state, "completed");
    assert.deepEqual(runs.toSorted(), ["j1 true", "j2 true", "j3 true", "j4 true", "j5 true", "j7 true"]);
  });

  test("a worker that closes returns a job whose payload it cannot read [X3]", async () => {
    await using node = await clientNode();
    const { client, network, sent } = lossyClient(node, "ann");
    const ids = ["j1", "j2", "j3", "j4", "j5", "j6"];
    for (const id of ids) await client.jobs.submit("large", "x".repeat(200_000), { id });
    network.lossOf = (operation) => (operation === "jobs.get" ? "unsent" : undefined);
    const worker = await client.jobs.work("large", () => undefined, { slots: ids.length });
    await soon(() => worker.running === 1 && sent.includes("jobs.get"));
    const closing = worker.close();
    await node.clock.pass(10_000, 500);
    await closing;
    const { state, attempt } = await node.fresh("bob").jobs.get("j6");
    assert.deepEqual([state, attempt], ["ready", 0]);
  });

  test("the signal of a job aborts before the end of its lease if no heartbeat reaches the server [X3]", async () => {
    await using node = await clientNode();
    const { client, network } = lossyClient(node, "ann");
    const reasons: string[] = [];
    const worker = await client.jobs.work("long", async (job) => {
      reasons.push((await aborted(job)).message);
      throw new Error("stopped");
    });
    const other = node.fresh("bob");
    await other.jobs.submit("long", undefined, { id: "j1" });
    await soon(async () => (await other.jobs.get("j1")).state === "running");
    await node.clock.pass(100_000, 1_000);
    assert.deepEqual(reasons, []);
    network.lossOf = () => "unsent";
    await node.clock.pass(36_000, 1_000);
    assert.match(reasons.join(), /job j1: its lease ends, because no heartbeat reached the server/u);
    network.lossOf = () => undefined;
    await node.clock.pass(2_000, 500);
    await worker.close();
    const job = await other.jobs.get("j1");
    assert.notEqual(job.state, "running");
    assert.equal(job.attempt, 0);
  });

  test("progress has a percentage from 0 to 100 and a message of one line", async () => {
    await using node = await clientNode();
    const client = node.fresh("ann");
    const go = Promise.withResolvers<undefined>();
    await using _worker = await client.jobs.work("odd", async (job) => {
      job.progress(150, `a\nb\u001b[2J${"c".repeat(600)}`);
      await go.promise;
    });
    await client.jobs.submit("odd", undefined, { id: "j1" });
    await soon(async () => (await client.jobs.get("j1")).percent !== undefined);
    const { percent, message = "" } = await client.jobs.get("j1");
    assert.equal(percent, 100);
    assert.match(message, /^a b \[2Jc+$/u);
    assert.equal(message.length, 500);
    go.resolve(undefined);
  });
});

describe("waiting for a job", () => {
  test("`wait` continues through a server that does not answer, and rejects if it never answered", async () => {
    await using node = await clientNode();
    const { client, network } = lossyClient(node, "ann");
    await client.jobs.submit("mail", undefined, { id: "j1" });
    network.lossOf = () => "unsent";
    const never = assert.rejects(client.jobs.wait("j1"), { code: "unreachable" });
    await node.clock.pass(20_000, 500);
    await never;
    network.lossOf = () => undefined;
    const waiting = client.jobs.wait("j1");
    await soon(async () => (await client.jobs.get("j1")).state === "ready");
    network.lossOf = () => "unsent";
    const worker = await node.fresh("bob").jobs.work("mail", () => "sent");
    await node.clock.pass(60_000, 500);
    network.lossOf = () => undefined;
    await node.clock.pass(5_000, 500);
    assert.equal((await waiting).result, "sent");
    await worker.drain();
  });

  test("`wait` and `get` return a job that so many others followed that the server has only its history", async () => {
    await using node = await clientNode();
    const client = node.fresh("ann");
    const { client: slow, network, sent } = lossyClient(node, "slow");
    await client.jobs.submit("mail", undefined, { id: "j1" });
    const waiting = slow.jobs.wait("j1");
    await soon(() => sent.includes("jobs.get"));
    network.lossOf = (operation) => (operation === "jobs.get" ? "unsent" : undefined);
    await using _worker = await client.jobs.work("mail", () => "sent");
    await client.jobs.wait("j1");
    for (let part = 0; part < 11; part += 1) {
      const jobs = Array.from({ length: 1_000 }, () => ({ type: "other" }));
      const { jobs: made } = await client.jobs.submitMany(jobs);
      assert.equal(made.length, 1_000);
      await client.jobs.cancel({ type: "other", state: "ready" });
    }
    const past = await client.jobs.get("j1");
    assert.deepEqual([past.type, past.attempt, past.state, past.result], ["mail", 1, "completed", "sent"]);
    await assert.rejects(client.jobs.get("j2"), { code: "jobs.unknown" });
    network.lossOf = () => undefined;
    await node.clock.pass(5_000, 500);
    const { state, result } = await waiting;
    assert.deepEqual([state, result], ["completed", "sent"]);
  });
});
