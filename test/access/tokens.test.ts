import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "holdfast";
import { isRejection } from "../../server/src/access/gate.ts";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { gatedNode, operatorSecret } from "./gated-node.ts";
import type { GatedNode } from "./gated-node.ts";

const everything = [{ verbs: ["read", "write", "lock", "register"] as const, under: "" }].map((one) => ({
  verbs: [...one.verbs],
  under: one.under,
}));

function turnedWith(node: GatedNode, token: string | undefined, isLoopback = true): string | undefined {
  const credentials = { isLoopback, connection: "c", door: "http" as const };
  const result = node.gate.admit(token === undefined ? credentials : { ...credentials, token });
  return isRejection(result) ? result.code : undefined;
}

test("without a token only callers on this host come in, and none of them where tokens are required [M14]", async () => {
  const open = await gatedNode();
  const closed = await gatedNode({ requiresToken: true });
  assert.equal(turnedWith(open, undefined), undefined);
  assert.equal(turnedWith(open, undefined, false), "token_required");
  assert.equal(turnedWith(closed, undefined), "token_required");
  assert.equal(turnedWith(closed, operatorSecret), undefined);
  for (const wrong of ["", "hf_wrong", `${operatorSecret}x`, operatorSecret.slice(1)]) {
    assert.equal(turnedWith(open, wrong), "token_invalid", wrong);
  }
  await Promise.all([open.stop(), closed.stop()]);
});

test("who comes with a token is its principal in the history, and nobody else [M14]", async () => {
  const node = await gatedNode();
  const secret = await node.tokenFor("ci", everything);
  assert.match(secret, /^hf_[0-9a-f]{64}$/);
  const { changed_by } = await node.clientWith({ token: secret }).entities.create("plan", "1", {});
  assert.deepEqual(changed_by, { principal: "ci" });
  const bare = await node.clientWith().entities.create("plan", "2", {});
  assert.deepEqual(bare.changed_by, { principal: "anonymous" });
  await node.stop();
});

test("a revoked token is refused at once, also on an open connection and for an answer that it had before [P6]", async () => {
  const node = await gatedNode();
  const { secret, token_id } = await node.operator.tokens.create({ principal: "ci", allow: everything });
  const client = node.clientWith({ token: secret });
  const write = (): Promise<unknown> => client.entities.create("plan", "1", { a: 1 }, { key: "k1" });
  await write();
  await write();
  const { head } = node.engine;
  const { principal } = await node.operator.tokens.revoke(token_id, { reason: "left the team" });
  assert.equal(principal, "ci");
  const refusal = await refusalOf(write());
  assert.deepEqual([refusal.code, refusal.status, refusal.replayed], ["token_invalid", 401, false]);
  assert.equal(turnedWith(node, secret), "token_invalid");
  await assert.rejects(client.cursor(), refusedWith("token_invalid"));
  assert.equal(node.engine.head.position, head.position + 1, "only the revocation was recorded");
  await node.stop();
});

test("a token expires by the time of the engine, to the millisecond, and is forgotten then", async () => {
  const node = await gatedNode();
  const cursor = await node.client.cursor();
  const made = await node.operator.tokens.create({ principal: "ci", allow: everything, expiresInSeconds: 60 });
  const client = node.clientWith({ token: made.secret });
  const leftMs = Date.parse(made.expires_at) - node.engine.now();
  node.clock.advance(leftMs - 1);
  await client.entities.list("plan");
  node.clock.advance(1);
  await assert.rejects(client.entities.list("plan"), refusedWith("token_invalid"));
  assert.deepEqual((await node.operator.tokens.list()).items, []);
  await node.clock.pass(20_000, 500);
  const names: string[] = [];
  for await (const { name } of node.client.watch({ after: cursor })) if (names.push(name) === 2) break;
  assert.deepEqual(names, ["evt.token.created", "evt.token.expired"]);
  await node.stop();
});

test("a token lives 30 days if nothing else is said, and is listed without its secret or the hash of it", async () => {
  const node = await gatedNode();
  const { secret, ...made } = await node.operator.tokens.create({
    principal: "ci",
    allow: everything,
    note: "nightly",
  });
  assert.equal(Date.parse(made.expires_at) - Date.parse(made.created_at), 30 * 86_400_000);
  const { items } = await node.operator.tokens.list();
  assert.deepEqual(items, [made]);
  assert.equal(made.created_by, "operator");
  assert.doesNotMatch(JSON.stringify(items), new RegExp(secret));
  assert.doesNotMatch(JSON.stringify(items), /[0-9a-f]{64}/);
  await node.stop();
});

test("asking again with a key gives the same token a new secret, and the old secret is void", async () => {
  const node = await gatedNode();
  const ask = () => node.operator.tokens.create({ principal: "ci", allow: everything }, { key: "once" });
  const [first, second] = [await ask(), await ask()];
  assert.equal(first.token_id, second.token_id);
  assert.equal(turnedWith(node, first.secret), "token_invalid");
  assert.equal(turnedWith(node, second.secret), undefined);
  assert.equal((await node.operator.tokens.list()).items.length, 1);
  await node.stop();
});

test("no token is made for a principal that means something else, and a token that is not there can't be revoked", async () => {
  const node = await gatedNode();
  for (const principal of ["operator", "anonymous", "local", "holdfast"]) {
    const asked = node.operator.tokens.create({ principal, allow: everything });
    await assert.rejects(asked, refusedWith("principal_reserved"), principal);
  }
  await assert.rejects(
    node.operator.tokens.create({ principal: "a b", allow: everything }),
    refusedWith("input_invalid"),
  );
  const trailing = node.operator.tokens.create({ principal: "ci", allow: [{ verbs: ["read"], under: "repo/" }] });
  await assert.rejects(trailing, refusedWith("input_invalid"));
  await assert.rejects(node.operator.tokens.revoke("nobody"), refusedWith("token_unknown"));
  await node.stop();
});

test("tokens are a fold of the journal: a node that starts on it knows the same ones", async () => {
  const node = await gatedNode();
  const kept = await node.operator.tokens.create({ principal: "ci", allow: everything });
  const revoked = await node.operator.tokens.create({ principal: "old", allow: everything });
  await node.operator.tokens.revoke(revoked.token_id);
  await node.stop();
  const again = await gatedNode({ disk: node.disk, clock: node.clock });
  assert.equal(turnedWith(again, kept.secret), undefined);
  assert.equal(turnedWith(again, revoked.secret), "token_invalid");
  await again.stop();
});

test("an attempt at what belongs to operators is refused and recorded, with a bound on how often [W10 W13]", async () => {
  const node = await gatedNode();
  const anonymous = node.clientWith();
  const attempts: ((client: Client) => Promise<unknown>)[] = [
    (client) => client.run("configure", { settings: { state_hash_every: 100 } }),
    (client) => client.run("configure-locks", { lock_manager: false }),
    (client) => client.run("force-release", { fence: "1.1", reason: "mine" }),
    (client) => client.run("override-release", { fence: "1.1", reason: "mine" }),
    (client) => client.run("erase-payload", { position: 1, reason: "mine" }),
    (client) => client.run("raise-rules", { to: 2 }),
    (client) => client.tokens.create({ principal: "me", allow: everything }),
    (client) => client.tokens.revoke("x"),
    (client) => client.tokens.list(),
  ];
  for (const attempt of attempts) await assert.rejects(attempt(anonymous), refusedWith("not_allowed"));
  for (let index = 0; index < 20; index += 1) await assert.rejects(attempts[0]!(anonymous), refusedWith("not_allowed"));
  await node.clock.pass(60_000, 1_000);
  await assert.rejects(attempts[1]!(anonymous), refusedWith("not_allowed"));
  await node.operator.entities.create("end", "1", {});
  const seen: unknown[] = [];
  for await (const { name, data, by } of node.client.watch({ after: "1.0" })) {
    if (name === "evt.end.created") break;
    if (name === "evt.access.refused") seen.push({ ...(data as object), by });
  }
  const operations = seen.map((one) => (one as { operation: string }).operation);
  assert.equal(operations.length, 11, "ten in the first minute, and one after it");
  assert.deepEqual(operations.slice(0, 3), ["configure", "configure-locks", "force-release"]);
  const by = { principal: "anonymous" };
  assert.deepEqual(seen.at(-1), { operation: "configure-locks", reason: "not_allowed", unrecorded: 19, by });
  await node.stop();
});

test("no agent does what belongs to operators, not even one of the operator's own [W10 W13]", async () => {
  const node = await gatedNode();
  const agent = node.operator.as(await node.operator.agents.register({ name: "helper" }));
  const wishes = [
    ["configure", { settings: { state_hash_every: 100 } }],
    ["create-token", { principal: "me", allow: everything }],
  ] as const;
  for (const [operation, input] of wishes) {
    await assert.rejects(agent.run(operation, input), refusedWith("not_allowed"));
    const embedded = await node.client.agents.register({ name: "embedded" });
    if (operation === "create-token") {
      await assert.rejects(node.client.as(embedded).run(operation, input), refusedWith("not_allowed"));
    }
  }
  await node.stop();
});
