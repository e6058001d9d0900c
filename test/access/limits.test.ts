import assert from "node:assert/strict";
import { test } from "node:test";
import { HoldfastError } from "holdfast";
import type { Allowance, Client, WatchedEvent } from "holdfast";
import { ConnectionAgents } from "../../server/src/access/connection-agents.ts";
import { TokenBuckets } from "../../server/src/access/token-buckets.ts";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { loopTicks, ManualClock } from "../engine/manual-clock.ts";
import { gatedNode } from "./gated-node.ts";

const everything: Allowance[] = [{ verbs: ["read", "write", "lock", "register"], under: "" }];

async function callsUntilLimit(client: Client): Promise<number> {
  for (let count = 0; ; count += 1) {
    const { outcome } = await client.execute("list-entities", { type: "doc" });
    if (outcome.kind === "refusal") {
      assert.equal(outcome.code, "rate_limited");
      return count;
    }
  }
}

test("a caller that exceeds its rate limit is refused with the time to retry, after a burst of twice the rate", async () => {
  const node = await gatedNode({ limits: { callsPerSecond: 5 } });
  const client = node.clientWith({ connection: "busy" });
  assert.equal(await callsUntilLimit(client), 10);
  const refusal = await refusalOf(client.entities.create("doc", "1", {}));
  assert.deepEqual([refusal.code, refusal.status, refusal.retry], ["rate_limited", 429, "later"]);
  assert.deepEqual(refusal.data, { limit: "calls_per_second", bound: 5, retryAfterMs: 200 });
  node.clock.advance(199);
  await assert.rejects(client.entities.list("doc"), refusedWith("rate_limited"));
  node.clock.advance(1);
  assert.deepEqual((await client.entities.list("doc")).items, [], "the refused call wrote nothing");
  assert.equal(await callsUntilLimit(node.clientWith({ connection: "other" })), 10, "another caller has its own limit");
  for (let count = 0; count < 30; count += 1) await node.operator.entities.list("doc");
  await node.stop();
});

test("each agent has its own rate limit, and all tokens of one principal share one", async () => {
  const node = await gatedNode({ limits: { callsPerSecond: 5, principalCallsPerSecond: 8 } });
  const anonymous = node.clientWith();
  const [a, b] = [await anonymous.agents.register({}), await anonymous.agents.register({})];
  assert.deepEqual([await callsUntilLimit(anonymous.as(a)), await callsUntilLimit(anonymous.as(b))], [10, 10]);
  const tokens = [await node.tokenFor("ci", everything), await node.tokenFor("ci", everything)];
  const [one, two] = tokens.map((token, index) => node.clientWith({ token, connection: `t${index}` }));
  assert.deepEqual([await callsUntilLimit(one!), await callsUntilLimit(two!)], [10, 6], "16 calls for both tokens");
  const { data } = await refusalOf(two!.entities.list("doc"));
  assert.equal(data["limit"], "principal_calls_per_second");
  await node.stop();
});

test("a principal has a maximum of open watches, and a watch that ends frees its slot", async () => {
  const node = await gatedNode({ limits: { watchesMax: 2 } });
  const client = node.clientWith({ token: await node.tokenFor("ci", everything) });
  const [first] = [client.watch(), client.watch()];
  await assert.rejects(client.watch().next(), refusedWith("rate_limited"));
  await first.return?.();
  await first.return?.();
  const third = client.watch();
  await assert.rejects(client.watch().next(), refusedWith("rate_limited"), "an end is counted once");
  const event = third.next();
  await node.operator.entities.create("doc", "1", {});
  assert.equal(((await event).value as WatchedEvent).subject, "doc/1");
  await node.stop();
});

test("a principal has a maximum of agents, also within the second in which the count is cached", async () => {
  const node = await gatedNode({ limits: { agentsMax: 3 } });
  const client = node.clientWith({ token: await node.tokenFor("ci", everything) });
  const other = node.clientWith();
  for (let count = 0; count < 3; count += 1) await other.agents.register({});
  for (let count = 0; count < 3; count += 1) await client.agents.register({});
  const refusal = await refusalOf(client.agents.register({}));
  assert.deepEqual([refusal.code, refusal.data["limit"]], ["rate_limited", "agents_max"]);
  const { items } = await node.operator.agents.list();
  assert.equal(items.filter(({ principal }) => principal === "ci").length, 3);
  await node.operator.agents.end(items.find(({ principal }) => principal === "ci")!.agentId);
  node.clock.advance(1_000);
  await client.agents.register({});
  await node.stop();
});

test("one connection without a token has its own limits of agents and watches, and cannot use up the others' [X15]", async () => {
  const limits = { agentsMax: 20, connectionAgentsMax: 15, watchesMax: 20, connectionWatchesMax: 15 };
  const node = await gatedNode({ limits });
  const registerUntilLimit = async (client: Client): Promise<readonly [number, unknown]> => {
    for (let count = 0; ; count += 1) {
      const { outcome } = await client.execute("register-agent", {});
      if (outcome.kind === "refusal") return [count, outcome.data["limit"]];
    }
  };
  const greedy = node.clientWith({ connection: "greedy" });
  assert.deepEqual(await registerUntilLimit(greedy), [15, "connection_agents_max"]);
  assert.deepEqual(await registerUntilLimit(node.clientWith({ connection: "second" })), [7, "agents_max"]);
  const { items } = await node.operator.agents.list();
  await node.operator.agents.end(items[0]!.agentId);
  node.clock.advance(1_000);
  await greedy.agents.register({});
  assert.deepEqual(await registerUntilLimit(greedy), [0, "connection_agents_max"], "an end frees one slot");
  const token = await node.tokenFor("ci", everything);
  assert.deepEqual(
    await registerUntilLimit(node.clientWith({ token })),
    [20, "agents_max"],
    "a token has no such limit",
  );

  const watchUntilLimit = async (client: Client): Promise<readonly [number, unknown]> => {
    for (let count = 0; ; count += 1) {
      const first = client.watch().next();
      const refusal = await Promise.race([
        first.then(
          () => undefined,
          (error: unknown) => error,
        ),
        loopTicks(3),
      ]);
      if (refusal instanceof HoldfastError) return [count, refusal.data["limit"]];
      first.catch(() => undefined);
    }
  };
  assert.deepEqual(await watchUntilLimit(greedy), [15, "connection_watches_max"]);
  assert.deepEqual(await watchUntilLimit(node.clientWith({ connection: "second" })), [7, "watches_max"]);
  await node.stop();
});

test("registrations that one connection sends at once count before the first one is recorded [X15]", async () => {
  const node = await gatedNode({ limits: { connectionAgentsMax: 5 } });
  const client = node.clientWith({ connection: "greedy" });
  const replies = await Promise.all(Array.from({ length: 20 }, () => client.execute("register-agent", {})));
  assert.equal(replies.filter(({ outcome }) => outcome.kind === "done").length, 5);
  const { outcome } = await node.clientWith({ connection: "other" }).execute("register-agent", {});
  assert.equal(outcome.kind, "done");
  await node.stop();
});

test("a connection with few agents may register in a reserve when others without a token reached the limit [X15]", async () => {
  const node = await gatedNode({ limits: { agentsMax: 40, connectionAgentsMax: 30 } });
  const register = async (connection: string, count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) await node.clientWith({ connection }).agents.register({});
  };
  await register("a", 22);
  await register("b", 18);
  await assert.rejects(register("a", 1), refusedWith("rate_limited"));
  await register("c", 4);
  await assert.rejects(register("d", 1), refusedWith("rate_limited"), "the reserve is a tenth");
  await node.stop();
});

test("the gate forgets the agents of a connection when they have ended", () => {
  const agents = new ConnectionAgents({ principalOf: (agent) => (agent.startsWith("live") ? "anonymous" : undefined) });
  for (let index = 0; index < 30_000; index += 1) agents.add(`connection ${index}`, `ended ${index}`);
  agents.add("one", "live 1");
  agents.add("one", "ended");
  assert.ok(agents.tracked < 20_000, `${agents.tracked} agents are tracked`);
  assert.equal(agents.count("one", 2), 1);
});

test("the rate limiter forgets callers that stay idle", async () => {
  const clock = new ManualClock();
  const buckets = new TokenBuckets(clock, 1);
  for (let caller = 0; caller < 10_000; caller += 1) buckets.take(`caller ${caller}`);
  clock.advance(60_000);
  buckets.take("one more");
  assert.equal(buckets.size, 1);
});
