import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { test } from "node:test";
import type { Allowance } from "holdfast";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { gatedNode } from "./gated-node.ts";

const everything: Allowance[] = [{ verbs: ["read", "write", "lock", "register"], under: "" }];

test("an agent's id is valid only for the principal that registered it, with any secret [M14 G1]", async () => {
  const node = await gatedNode();
  const ann = node.clientWith({ token: await node.tokenFor("ann", everything) });
  const bob = node.clientWith({ token: await node.tokenFor("bob", everything) });
  const agent = await ann.agents.register({ name: "a" });
  await ann.as(agent).operations.acquireLock({ paths: ["repo/a"] });
  const { fence } = (await ann.as(agent).agents.whoAmI()).holds[0]!;
  for (const thief of [{ agentId: agent.agentId }, agent]) {
    const stolen = bob.as(thief);
    const refusal = await refusalOf(stolen.locks.release({ fence }));
    assert.deepEqual([refusal.code, refusal.status], ["agent_unknown", 401]);
    await assert.rejects(stolen.agents.heartbeat(), refusedWith("agent_unknown"));
    await assert.rejects(stolen.agents.end(), refusedWith("agent_unknown"));
  }
  await assert.rejects(bob.agents.end(agent.agentId), refusedWith("not_allowed"));
  assert.deepEqual((await ann.as(agent).locks.release({ fence })).released, ["repo/a"]);
  await node.stop();
});

test("a wrong agent secret is refused, and an id without a secret is refused where secrets are required [M14]", async () => {
  const lenient = await gatedNode();
  const strict = await gatedNode({ requiresAgentSecret: true });
  for (const node of [lenient, strict]) {
    const client = node.clientWith();
    const agent = await client.agents.register({ name: "a" });
    await client.as(agent).operations.acquireLock({ paths: ["repo/a"] });
    await assert.rejects(client.as({ ...agent, secret: "hf_wrong" }).agents.whoAmI(), refusedWith("agent_unknown"));
    const bare = client.as({ agentId: agent.agentId }).agents.whoAmI();
    if (node === strict) await assert.rejects(bare, refusedWith("agent_secret_required"));
    else assert.equal((await bare).holds.length, 1);
    await node.stop();
  }
});

test("an agent can be ended by itself, its parent or an operator, and by no other agent [G1 W13]", async () => {
  const node = await gatedNode();
  const client = node.clientWith();
  const parent = await client.agents.register({ name: "parent" });
  const child = await client.agents.register({ name: "child", parent: parent.agentId });
  const [neighbour, second] = [await client.agents.register({}), await client.agents.register({})];
  await assert.rejects(client.agents.end(child.agentId), refusedWith("not_allowed"));
  await assert.rejects(client.as(neighbour).agents.end(child.agentId), refusedWith("not_allowed"));
  await client.as(parent).agents.end(child.agentId);
  await client.as(neighbour).agents.end();
  await node.operator.agents.end(second.agentId);
  assert.deepEqual(
    (await client.agents.list()).items.map(({ name }) => name),
    ["parent"],
  );
  await node.stop();
});

test("a revoked token is refused before the server checks the agent, the key or the input [P6]", async () => {
  const node = await gatedNode();
  const { secret, tokenId } = await node.operator.tokens.create({ principal: "ann", allow: everything });
  const client = node.clientWith({ token: secret });
  const agent = client.as(await client.agents.register({ name: "a" }));
  await agent.operations.acquireLock({ paths: ["repo/a"] }, { key: "k" });
  await node.operator.tokens.revoke(tokenId);
  await assert.rejects(agent.operations.acquireLock({ paths: ["repo/a"] }, { key: "k" }), refusedWith("token_invalid"));
  await assert.rejects(agent.agents.heartbeat(), refusedWith("token_invalid"));
  await assert.rejects(agent.run("acquire-lock", { paths: 7 }), refusedWith("token_invalid"));
  await node.stop();
});

test("an own key is not published, and where secrets are required it does not resume an agent without its secret [X14]", async () => {
  const node = await gatedNode({ requiresAgentSecret: true });
  const client = node.clientWith();
  const thief = node.clientWith({ connection: "thief" });
  const cursor = await client.cursor();
  const agent = await client.agents.register({ name: "deployer", ownKey: "deploy-prod" });
  const held = await client.as(agent).operations.acquireLock({ paths: ["prod"], ttlMs: 60_000 });
  assert.ok(held.granted);
  for await (const event of thief.watch({ after: cursor })) {
    assert.doesNotMatch(JSON.stringify(event), /deploy-prod|own_key|secret/u);
    if (event.subject === "lock/prod") break;
  }
  const stranger = await thief.agents.register({ name: "stranger" });
  for (const caller of [thief, thief.as(stranger)]) {
    const refusal = await refusalOf(caller.agents.register({ ownKey: "deploy-prod" }));
    assert.deepEqual([refusal.code, refusal.status], ["agent_secret_required", 401]);
    assert.deepEqual(refusal.data, { agentId: agent.agentId });
    await assert.rejects(caller.agents.register({}, { key: "deploy-prod" }), refusedWith("agent_secret_required"));
  }
  const resumed = await client.as(agent).agents.register({ ownKey: "deploy-prod" });
  assert.deepEqual([resumed.agentId, resumed.resumed, resumed.secret], [agent.agentId, true, agent.secret]);
  await client.as(agent).locks.release({ fence: held.fence });
  await node.operator.agents.end(agent.agentId, { reason: "its secret is lost" });
  assert.equal((await client.agents.register({ ownKey: "deploy-prod" })).resumed, false);
  await node.stop();
});

test("a registration is not recorded as required by a caller, and its reply always holds a valid secret [X14]", async () => {
  const node = await gatedNode();
  const client = node.clientWith();
  await client.agents.register({ ownKey: "k" });
  const { outcome } = await client.execute("register-agent", { own_key: "k", secret_required: true });
  if (outcome.kind === "refusal") assert.equal(outcome.code, "input_invalid");
  else {
    const { agent_id, secret } = outcome.data as { agent_id: string; secret: string };
    await client.as({ agentId: agent_id, secret }).agents.whoAmI();
  }
  await node.stop();
});

test("an agent's secret is verified with every call and never cached, so an old one ends at once [X14]", async () => {
  const node = await gatedNode();
  const client = node.clientWith();
  const first = await client.agents.register({ ownKey: "k" });
  await client.as(first).agents.whoAmI();
  const second = await client.agents.register({ ownKey: "k" });
  await assert.rejects(client.as(first).agents.whoAmI(), refusedWith("agent_unknown"));
  await client.as(second).agents.whoAmI();
  assert.deepEqual(await privateMaps(node.services.agents), [], "no cache keeps a secret");
  await node.stop();
});

/** The names of the private members of an object that are maps. */
async function privateMaps(object: object): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  Object.assign(globalThis, { inspected: object });
  const { result } = await session.post("Runtime.evaluate", { expression: "inspected" });
  const { privateProperties = [] } = (await session.post("Runtime.getProperties", {
    objectId: result.objectId ?? "",
    ownProperties: true,
  })) as { readonly privateProperties?: readonly { readonly name: string; readonly value?: { subtype?: string } }[] };
  session.disconnect();
  Reflect.deleteProperty(globalThis, "inspected");
  assert.notEqual(privateProperties.length, 0);
  return privateProperties.filter(({ value }) => value?.subtype === "map").map(({ name }) => name);
}
