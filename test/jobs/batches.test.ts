/** The commands that carry several jobs of one turn: submissions and completions of the client. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HoldfastError } from "holdfast";
import { clientNode, soon } from "../client/client-node.ts";
import { onEveryTransport } from "../client/every-transport.ts";
import { lossyClient } from "../client/lossy-client.ts";

const codeOf = (error: unknown): string => (error as HoldfastError).code;

describe("jobs of one turn", () => {
  onEveryTransport(
    "jobs of one turn are submitted and completed together, each with its own result",
    async (client) => {
      await using _worker = await client.jobs.work("sum", ({ payload }) => (payload as number) * 2, { slots: 4 });
      const numbers = Array.from({ length: 30 }, (_, index) => index);
      const sent = await Promise.all(numbers.map((n) => client.jobs.submit("sum", n, { project: `p${n % 2}` })));
      assert.equal(new Set(sent.map(({ id }) => id)).size, 30);
      const jobs = await Promise.all(sent.map(({ id }) => client.jobs.wait(id)));
      assert.deepEqual(
        jobs.map(({ result, project }) => [result, project]),
        numbers.map((n) => [n * 2, `p${n % 2}`]),
      );
    },
  );

  test("the jobs of a turn and a project are one command, and a job with options of its call is a command of its own", async () => {
    await using node = await clientNode();
    const { client, sent } = lossyClient(node, "ann");
    await Promise.all([
      client.jobs.submit("mail", 1),
      client.jobs.submit("mail", 2),
      client.jobs.submit("mail", 3, { project: "p" }),
      client.jobs.submit("mail", 4, {}, { key: "k4" }),
      client.jobs.submit("tiles", 5),
    ]);
    assert.deepEqual(sent.toSorted(), ["jobs.submit", "jobs.submit", "jobs.submit-many"]);
    const { items } = await client.jobs.list({ state: "ready" });
    assert.equal(items.length, 5);
  });

  test("a job of a turn that is refused fails alone, and the others are submitted once", async () => {
    await using node = await clientNode();
    const { client } = lossyClient(node, "ann");
    const results = await Promise.allSettled([
      client.jobs.submit("mail", 1, { id: "j1" }),
      client.jobs.submit("mail", 2, { after: ["none"] }),
      client.jobs.submit("mail", 3, { id: "j3" }),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === "fulfilled" ? result.value.id : codeOf(result.reason))),
      ["j1", "jobs.unknown", "j3"],
    );
    assert.equal((await client.jobs.list({ state: "ready" })).items.length, 2);
  });

  test("jobs whose reply is lost are not sent again, and each of their callers learns it", async () => {
    await using node = await clientNode();
    const { client, network, sent } = lossyClient(node, "ann", { retry: false });
    network.lossOf = (operation) => (operation === "jobs.submit-many" ? "unanswered" : undefined);
    const results = await Promise.allSettled([client.jobs.submit("mail", 1), client.jobs.submit("mail", 2)]);
    assert.deepEqual(
      results.map((result) => (result.status === "rejected" ? codeOf(result.reason) : "")),
      ["outcome_unknown", "outcome_unknown"],
    );
    assert.deepEqual(sent, ["jobs.submit-many"]);
    assert.equal((await client.jobs.list({ state: "ready" })).items.length, 2);
  });

  test("more jobs than one command carries are sent by several, in their order", async () => {
    await using node = await clientNode();
    const { client, sent } = lossyClient(node, "ann");
    const jobs = await Promise.all(Array.from({ length: 250 }, (_, index) => client.jobs.submit("mail", index)));
    assert.deepEqual(sent, ["jobs.submit-many", "jobs.submit-many", "jobs.submit-many"]);
    const payloads = await Promise.all(jobs.map(async ({ id }) => (await client.jobs.get(id)).payload));
    assert.deepEqual(
      payloads,
      Array.from({ length: 250 }, (_, index) => index),
    );
  });
});

describe("ends of one turn", () => {
  test("jobs that end in one turn are completed by one command, and one with a refused result fails alone", async () => {
    await using node = await clientNode();
    const { client, sent } = lossyClient(node, "ann");
    const go = Promise.withResolvers<undefined>();
    let started = 0;
    await using _worker = await client.jobs.work(
      "mail",
      async ({ id }) => {
        started += 1;
        await go.promise;
        return id === "j2" ? "x".repeat(70_000) : id;
      },
      { slots: 3 },
    );
    await client.jobs.submitMany(["j1", "j2", "j3"].map((id) => ({ type: "mail", id, maxAttempts: 1 })));
    await soon(() => started === 3);
    go.resolve(undefined);
    const ends = await Promise.all(["j1", "j2", "j3"].map((id) => client.jobs.wait(id)));
    assert.deepEqual(
      ends.map(({ state }) => state),
      ["completed", "failed", "completed"],
    );
    const operations = sent.filter((operation) => /complete|fail/u.test(operation));
    assert.deepEqual(operations, ["jobs.complete-many", "jobs.complete", "jobs.fail"]);
  });

  test("a worker sends the completion of many jobs until the server has it, and each job ends once", async () => {
    await using node = await clientNode();
    const { client, network, sent } = lossyClient(node, "ann");
    const errors: unknown[] = [];
    const options = { slots: 2, onError: (error: unknown) => errors.push(error) };
    const worker = await client.jobs.work("mail", () => "sent", options);
    network.lossOf = (operation) => (operation === "jobs.complete-many" ? "unanswered" : undefined);
    await client.jobs.submitMany([
      { type: "mail", id: "j1" },
      { type: "mail", id: "j2" },
    ]);
    await soon(() => sent.includes("jobs.complete-many"));
    await node.clock.pass(30_000, 500);
    assert.ok(errors.length > 0);
    network.lossOf = () => undefined;
    await node.clock.pass(2_000, 500);
    const ends = await Promise.all(["j1", "j2"].map((id) => client.jobs.wait(id)));
    assert.deepEqual(
      ends.map(({ state, result, attempt }) => [state, result, attempt]),
      [
        ["completed", "sent", 1],
        ["completed", "sent", 1],
      ],
    );
    await worker.drain();
    assert.ok(!sent.includes("jobs.complete") && !sent.includes("jobs.fail"));
  });
});
