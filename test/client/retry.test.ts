import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, DeadlockError, HoldfastError } from "holdfast";
import { problems } from "@holdfast/sdk/contract";
import type { ProblemCode, Transport } from "holdfast";
import { transportOf } from "../../server/src/assembly/open.ts";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { onEveryTransport } from "./every-transport.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { clientNode, held, soon } from "./client-node.ts";
import { clientTime } from "./client-time.ts";
import { scriptedClient } from "./scripted-client.ts";
import { rawLocks } from "../locks/raw-acquire.ts";

const refusal = (code: string, data: Record<string, unknown> = {}) => ({ kind: "refusal", code, data }) as const;
const done = { kind: "done", data: {} } as const;
const write = { type: "doc", id: "1", merge: {} };

/** The client's automatic reaction to each code, which follows the registry alone. */
describe("retry rules", () => {
  for (const [code, { retry }] of Object.entries(problems) as [ProblemCode, { retry: string }][]) {
    test(`the client handles a refusal with ${code} by its retry rule ${retry} [P9]`, async () => {
      const after = retry === "later" ? { retry_after_ms: 700 } : {};
      const { client, clock, sent } = scriptedClient((_call, count) => (count === 1 ? refusal(code, after) : done));
      const result = client.run("patch-entity", write).catch((error: unknown) => error);
      await clock.pass(20_000, 500);
      const isRepeated = retry === "same-key" || retry === "later";
      assert.equal(sent.length, isRepeated ? 2 : 1);
      if (!isRepeated) return void refusedWith(code)(await result);
      assert.deepEqual(await result, {});
      const [first, second] = sent;
      assert.equal(typeof first?.options.key, "string", "the first call already has a key");
      assert.equal(second?.options.key, first?.options.key);
      assert.deepEqual(second?.input, first?.input);
      if (retry === "later") assert.ok(second!.atMs >= 700);
    });
  }

  test("the client gives up after its maximum attempts with growing delays, and reports the refusal [P9]", async () => {
    const { client, clock, sent } = scriptedClient(() => refusal("journal_unavailable"), {
      retry: { tries: 4, baseMs: 1_000, capMs: 2_000 },
    });
    const result = refusalOf(client.run("patch-entity", write));
    await loopTicks(2);
    await clock.pass(20_000, 50);
    assert.equal((await result).code, "journal_unavailable");
    const times = sent.map(({ atMs }) => atMs);
    assert.deepEqual(times, [0, 750, 2_250, 3_750]);
  });

  test("an unknown outcome stays unknown when the later attempts cannot be sent [P9]", async () => {
    for (const last of ["unreachable", "overloaded", "journal_unavailable", "stopping"]) {
      const { client, clock } = scriptedClient((_call, count) => refusal(count === 1 ? "outcome_unknown" : last));
      const result = refusalOf(client.run("patch-entity", write));
      await clock.pass(20_000, 500);
      assert.equal((await result).code, "outcome_unknown", last);
    }
    const answered = scriptedClient((_call, count) => refusal(count === 1 ? "outcome_unknown" : "entity_not_found"));
    const result = refusalOf(answered.client.run("patch-entity", write));
    await answered.clock.pass(20_000, 500);
    assert.equal((await result).code, "entity_not_found", "the reply to the key reports the outcome");
  });

  test("the client does not wait longer than its total time, and not at all with retry disabled [P9]", async () => {
    const late = scriptedClient(() => refusal("overloaded", { retry_after_ms: 60_000 }));
    assert.equal((await refusalOf(late.client.run("patch-entity", write))).code, "overloaded");
    const never = scriptedClient(() => refusal("journal_unavailable"), { retry: false });
    assert.equal((await refusalOf(never.client.run("patch-entity", write))).code, "journal_unavailable");
    assert.deepEqual([late.sent.length, never.sent.length, never.sent[0]?.options.key], [1, 1, undefined]);
  });

  test("a write without a key is not sent again after an unknown outcome, and a harmless call is [P9]", async () => {
    const unknown = scriptedClient(() => refusal("outcome_unknown"), { remote: undefined as never });
    assert.equal((await refusalOf(unknown.client.run("patch-entity", write))).code, "outcome_unknown");
    assert.equal(unknown.sent.length, 1);
    for (const [operation, input] of [
      ["get-entity", {}],
      ["heartbeat", {}],
      ["acquire-lock", { paths: ["p"] }],
    ] as const) {
      const { client, clock, sent } = scriptedClient((_call, count) =>
        count === 1 ? refusal("outcome_unknown") : done,
      );
      const result = client.run(operation, input);
      await clock.pass(1_000);
      await result;
      assert.deepEqual(
        sent.map(({ options }) => options.key),
        [undefined, undefined],
        operation,
      );
    }
  });
});

test("a call that is aborted between two attempts ends at once and is not sent again", async () => {
  const { client, clock, sent } = scriptedClient(() => refusal("overloaded", { retry_after_ms: 10_000 }));
  const controller = new AbortController();
  const reason = new Error("aborted by the test");
  const result = client.run("patch-entity", write, { signal: controller.signal }).catch((error: unknown) => error);
  await loopTicks(2);
  controller.abort(reason);
  assert.equal(await result, reason);
  await clock.pass(20_000, 500);
  assert.equal(sent.length, 1);
});

/** A transport that sends a write again because its reply was lost, after the writing agent has ended. */
function losingOneAnswer(inner: Transport, hasAnswer: () => boolean, end: (agent: string) => Promise<unknown>) {
  let isLost = false;
  const keys: (string | undefined)[] = [];
  const transport: Transport = {
    ...inner,
    async call(operation, input, options) {
      const reply = (): ReturnType<Transport["call"]> => inner.call(operation, input, options);
      if (operation !== "patch-entity") return reply();
      keys.push(options.key);
      if (isLost) return reply();
      isLost = true;
      await reply();
      await end(options.agent!);
      if (hasAnswer()) return reply();
      return { outcome: refusal("outcome_unknown"), position: 0, replayed: false, events: [] };
    },
  };
  return { transport, keys };
}

for (const [sender, hasAnswer] of [
  ["the connection", true],
  ["the client", false],
] as const) {
  test(`a write is executed once, also if ${sender} sends it again after its agent has ended [P9]`, async () => {
    await using node = await clientNode();
    const inner = transportOf(node.services);
    const end = (agent: string): Promise<unknown> => node.client.agents.end(agent);
    const { transport, keys } = losingOneAnswer(inner, () => hasAnswer, end);
    let ids = 0;
    const time = clientTime(node.clock, () => `id-${(ids += 1)}`);
    const bob = createClient(transport, { name: "bob", clock: time, remote: { urls: ["http://127.0.0.1:1"] } });
    await held(await bob.acquire("warm")).release();
    await node.client.entities.create("doc", "1", { list: [] });
    const patch = [{ op: "add", path: "/list/-", value: "once" }];
    const written = bob.run("patch-entity", { type: "doc", id: "1", patch });
    await Promise.all([written, node.clock.pass(1_000)]);
    assert.deepEqual((await node.client.entities.get("doc", "1")).value, { list: ["once"] });
    assert.deepEqual(new Set(keys).size, 1, "one write, one key");
  });
}

onEveryTransport(
  "an update reads, changes and writes until it meets no conflict, and no change is lost [M1 P9]",
  async (client) => {
    await client.entities.create("doc", "1", { n: 0 });
    const forks = [1, 2, 3, 4].map(() => client.agent());
    await Promise.all(
      forks.map((fork) => fork.entities.update<{ n: number }>("doc", "1", ({ n }) => ({ n: n + 1 }), { tries: 50 })),
    );
    assert.deepEqual((await client.entities.get("doc", "1")).value, { n: 4 });
  },
);

onEveryTransport(
  "an update that conflicts in every attempt fails with the last conflict and its explanation",
  async (client) => {
    await client.entities.create("doc", "1", { n: 0 });
    let rounds = 0;
    const overtaken = await refusalOf(
      client.entities.update<{ n: number }>(
        "doc",
        "1",
        async ({ n }) => {
          rounds += 1;
          await client.entities.patch("doc", "1", { merge: { n: 10 + rounds } });
          return { n: n + 1 };
        },
        { tries: 3 },
      ),
    );
    assert.deepEqual([overtaken.code, rounds, overtaken.data["tries"]], ["concurrency_mismatch", 3, 3]);
    assert.match(overtaken.message, /other writers changed doc\/1 in each of 3 attempts, last at \/n/u);
    await assert.rejects(
      client.entities.update("doc", "2", (value) => value),
      refusedWith("entity_not_found"),
    );
    const made = await client.entities.update<{ n: number }>("doc", "2", ({ n }) => ({ n: n + 1 }), {
      initial: { n: 0 },
    });
    assert.deepEqual([made.version, made.value], [1, { n: 1 }]);
    await assert.rejects(
      client.entities.update("doc", "1", () => undefined),
      /returned undefined. Return the new value/u,
    );
  },
);

describe("retryOnDeadlock", () => {
  test("retryOnDeadlock releases the locks of an attempt and runs it again, so that both callers succeed [X6]", async () => {
    await using node = await clientNode();
    const [a, b] = [node.fresh("a"), node.fresh("b")];
    const one = held(await a.acquire("x"));
    const work = b.retryOnDeadlock(async ({ acquire, tried }) => {
      await using _y = held(await acquire("y"));
      if (tried === 1) await soon(async () => (await node.client.locks.status("y")).queue.length === 1);
      await using _x = held(await acquire("x"));
      return tried;
    });
    await soon(async () => (await node.client.locks.status("y")).holders.length === 1);
    const two = held(await a.acquire("y", {}));
    await two.release();
    await one.release();
    await node.clock.pass(2_000);
    assert.equal(await work, 2);
  });

  test("retryOnDeadlock fails after its attempts with a DeadlockError and the cycle, and passes other errors through", async () => {
    await using node = await clientNode();
    const client = node.fresh("a");
    const cycle = [{ owner_id: "a" }];
    const deadlock = new HoldfastError("acquire-lock", "deadlock", { data: { cycle }, position: 1, replayed: false });
    let tries = 0;
    const failing = client
      .retryOnDeadlock(() => {
        tries += 1;
        return Promise.reject(deadlock);
      })
      .catch((error: unknown) => error);
    await node.clock.pass(1_000);
    const error = await failing;
    assert.ok(error instanceof DeadlockError);
    assert.equal(error.message, "Operation failed after 3 deadlock retries");
    assert.deepEqual([tries, error.maxRetries, error.lastError, error.cycle], [3, 3, deadlock, cycle]);
    await assert.rejects(
      client.retryOnDeadlock(() => Promise.reject(new Error("other"))),
      /other/u,
    );
    const sql = Object.assign(new Error("deadlock detected"), { code: "40P01" });
    const seen = await Promise.all([
      client.retryOnDeadlock(({ tried }) => (tried === 1 ? Promise.reject(sql) : Promise.resolve(tried))),
      node.clock.pass(500),
    ]);
    assert.equal(seen[0], 2);
  });

  test("retryOnDeadlock finds a deadlock in the fifth error of a chain of wrapped errors and not in the sixth", async () => {
    await using node = await clientNode();
    const client = node.fresh("a");
    const members = ["cause", "driverError", "original", "cause"];
    const wrapped = members.reduce<object>((inner, name) => ({ [name]: inner }), { code: "40P01" });
    const [tries] = await Promise.all([
      client.retryOnDeadlock(({ tried }) => (tried === 1 ? Promise.reject(wrapped as Error) : Promise.resolve(tried))),
      node.clock.pass(500),
    ]);
    assert.equal(tries, 2);
    const tooDeep = { cause: wrapped } as Error;
    const failure = await client.retryOnDeadlock(() => Promise.reject(tooDeep)).catch((error: unknown) => error);
    assert.equal(failure, tooDeep);
  });
});

test("every option of a call reaches the transport from every lock operation", async () => {
  const { client, sent } = scriptedClient(() => done, { retry: false });
  const { signal } = new AbortController();
  const options = {
    trace: "t",
    retry: "deadlock",
    deadlineMs: 5,
    key: "k",
    agent: "a",
    agentSecret: "s",
    signal,
  } as const;
  const locks = rawLocks(client);
  await locks.acquire("x", { ...options, ownerId: "o", ttlMs: 1_000 });
  await locks.renew({ fence: "1.1" }, options);
  await locks.release({ fence: "1.1" }, options);
  await locks.upgrade({ fence: "1.1" }, options);
  await locks.downgrade({ fence: "1.1" }, "read", options);
  await locks.transfer({ fence: "1.1" }, "b", options);
  await locks.requestRelease("x", "now", options);
  await locks.accept("1.1", options);
  await locks.cancel("1.1", options);
  await locks.forceRelease("1.1", "now", options);
  // The lock operations add only this, because they return the outcome alone.
  const expected = { ...options, events: false };
  for (const { operation, options: given } of sent) assert.deepEqual(given, expected, operation);
  assert.equal((sent[0]?.input as { owner_id: string }).owner_id, "o");
});
