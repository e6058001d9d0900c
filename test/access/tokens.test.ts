import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "holdfast";
import { admitLatest, isRejection } from "../../server/src/access/gate.ts";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { gatedNode, operatorSecret } from "./gated-node.ts";
import type { GatedNode } from "./gated-node.ts";

const everything = [{ verbs: ["read", "write", "lock", "register"] as const, under: "" }].map((rule) => ({
  verbs: [...rule.verbs],
  under: rule.under,
}));

function rejectionCode(node: GatedNode, token: string | undefined, isLoopback = true): string | undefined {
  const credentials = { isLoopback, connection: "c", door: "http" as const };
  const result = node.gate.admit(token === undefined ? credentials : { ...credentials, token });
  return isRejection(result) ? result.code : undefined;
}

test("a caller without a token is admitted only from this host, and not where tokens are required [M14]", async () => {
  const open = await gatedNode();
  const closed = await gatedNode({ requiresToken: true });
  assert.equal(rejectionCode(open, undefined), undefined);
  assert.equal(rejectionCode(open, undefined, false), "token_required");
  assert.equal(rejectionCode(closed, undefined), "token_required");
  assert.equal(rejectionCode(closed, operatorSecret), undefined);
  for (const wrong of ["", "hf_wrong", `${operatorSecret}x`, operatorSecret.slice(1)]) {
    assert.equal(rejectionCode(open, wrong), "token_invalid", wrong);
  }
  await Promise.all([open.stop(), closed.stop()]);
});

test("the journal records the principal of a caller's token as the actor [M14]", async () => {
  const node = await gatedNode();
  const secret = await node.tokenFor("ci", everything);
  assert.match(secret, /^hf_[0-9a-f]{64}$/);
  const { changedBy } = await node.clientWith({ token: secret }).entities.create("plan", "1", {});
  assert.deepEqual(changedBy, { principal: "ci" });
  const bare = await node.clientWith().entities.create("plan", "2", {});
  assert.deepEqual(bare.changedBy, { principal: "anonymous" });
  await node.stop();
});

test("a revoked token is refused at once, also on an open connection and for a replay [P6]", async () => {
  const node = await gatedNode();
  const { secret, tokenId } = await node.operator.tokens.create({ principal: "ci", allow: everything });
  const client = node.clientWith({ token: secret });
  const write = (): Promise<unknown> => client.entities.create("plan", "1", { a: 1 }, { key: "k1" });
  await write();
  await write();
  const { head } = node.engine;
  const { principal } = await node.operator.tokens.revoke(tokenId, { reason: "left the team" });
  assert.equal(principal, "ci");
  const refusal = await refusalOf(write());
  assert.deepEqual([refusal.code, refusal.status, refusal.replayed], ["token_invalid", 401, false]);
  assert.equal(rejectionCode(node, secret), "token_invalid");
  await assert.rejects(client.cursor(), refusedWith("token_invalid"));
  assert.equal(node.engine.head.position, head.position + 1, "the journal has only the revocation");
  await node.stop();
});

test("a token expires by the engine's clock, to the millisecond, and is then forgotten", async () => {
  const node = await gatedNode();
  const cursor = await node.client.cursor();
  const made = await node.operator.tokens.create({ principal: "ci", allow: everything, expiresInMs: 60_000 });
  const client = node.clientWith({ token: made.secret });
  const leftMs = Date.parse(made.expiresAt) - node.engine.now();
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

test("a token lasts 30 days by default, and lists show neither its secret nor the hash", async () => {
  const node = await gatedNode();
  const { secret, ...made } = await node.operator.tokens.create({
    principal: "ci",
    allow: everything,
    note: "nightly",
  });
  assert.equal(Date.parse(made.expiresAt) - Date.parse(made.createdAt), 30 * 86_400_000);
  const { items } = await node.operator.tokens.list();
  assert.deepEqual(items, [made]);
  assert.equal(made.createdBy, "operator");
  assert.doesNotMatch(JSON.stringify(items), new RegExp(secret));
  assert.doesNotMatch(JSON.stringify(items), /[0-9a-f]{64}/);
  await node.stop();
});

test("a repeated create-token with the same key gives the token a new secret and voids the old one", async () => {
  const node = await gatedNode();
  const create = () => node.operator.tokens.create({ principal: "ci", allow: everything }, { key: "once" });
  const [first, second] = [await create(), await create()];
  assert.equal(first.tokenId, second.tokenId);
  assert.equal(rejectionCode(node, first.secret), "token_invalid");
  assert.equal(rejectionCode(node, second.secret), undefined);
  assert.equal((await node.operator.tokens.list()).items.length, 1);
  await node.stop();
});

test("a rotated token has a new secret with the same rights, and the old secret ends at once [P6]", async () => {
  const node = await gatedNode();
  const { secret: old, ...made } = await node.operator.tokens.create({ principal: "ci", allow: everything });
  const client = node.clientWith({ token: old });
  const watched = node.clientWith({ token: old }).watch({ after: await client.cursor() });
  const ended = assert.rejects(watched.next(), refusedWith("token_invalid"));
  const { secret, oldSecretValidUntil: validUntil, ...rotated } = await node.operator.tokens.rotate(made.tokenId);
  assert.deepEqual(rotated, made);
  assert.ok(Date.parse(validUntil) <= node.engine.now());
  await ended;
  await assert.rejects(client.entities.list("plan"), refusedWith("token_invalid"));
  assert.equal(rejectionCode(node, old), "token_invalid");
  await node.clientWith({ token: secret }).entities.create("plan", "1", {});
  assert.deepEqual((await node.operator.tokens.list()).items, [made]);
  await assert.rejects(node.operator.tokens.rotate("none"), refusedWith("token_unknown"));
  const { items } = await node.operator.audit.list({ subject: `token/${made.tokenId}` });
  assert.doesNotMatch(JSON.stringify(items), /[0-9a-f]{64}/u, "the audit trail shows neither secret nor hash");
  await node.operator.tokens.revoke(made.tokenId);
  assert.equal(rejectionCode(node, secret), "token_invalid");
  await node.stop();
});

test("the old secret of a rotated token ends with its grace period, and at once with the next rotation [P6]", async () => {
  const node = await gatedNode();
  const first = await node.operator.tokens.create({ principal: "ci", allow: everything });
  const client = node.clientWith({ token: first.secret });
  const watched = client.watch({ after: await client.cursor(), names: ["evt.plan.created"] });
  const ended = assert.rejects(watched.next(), refusedWith("token_invalid"));
  const second = await node.operator.tokens.rotate(first.tokenId, { graceMs: 60_000 });
  const leftMs = Date.parse(second.oldSecretValidUntil) - node.engine.now();
  node.clock.advance(leftMs - 1);
  await client.entities.list("plan");
  await node.clock.pass(1, 1);
  await ended;
  assert.equal(rejectionCode(node, first.secret), "token_invalid");
  const third = await node.operator.tokens.rotate(first.tokenId, { graceMs: 60_000 });
  assert.equal(rejectionCode(node, second.secret), undefined);
  const fourth = await node.operator.tokens.rotate(first.tokenId, { graceMs: 60_000 });
  assert.equal(rejectionCode(node, second.secret), "token_invalid");
  assert.equal(rejectionCode(node, third.secret), undefined);
  await node.stop();
  const again = await gatedNode({ disk: node.disk, clock: node.clock });
  assert.deepEqual(
    [third, fourth].map(({ secret }) => rejectionCode(again, secret)),
    [undefined, undefined],
  );
  await again.operator.tokens.rotate(first.tokenId);
  assert.deepEqual(
    [third, fourth].map(({ secret }) => rejectionCode(again, secret)),
    ["token_invalid", "token_invalid"],
  );
  await again.stop();
});

test("a repeated rotation with the same key keeps the grace period of the secret before it", async () => {
  const node = await gatedNode();
  const made = await node.operator.tokens.create({ principal: "ci", allow: everything, expiresInMs: 100_000 });
  const ask = () => node.operator.tokens.rotate(made.tokenId, { graceMs: 600_000, key: "once" });
  const [lost, repeated] = [await ask(), await ask()];
  assert.equal(repeated.oldSecretValidUntil, lost.oldSecretValidUntil);
  assert.equal(repeated.oldSecretValidUntil, made.expiresAt, "no secret outlives its token");
  assert.deepEqual(
    [made, lost, repeated].map(({ secret }) => rejectionCode(node, secret)),
    [undefined, "token_invalid", undefined],
  );
  await assert.rejects(
    node.operator.tokens.rotate(made.tokenId, { graceMs: 604_801_000 }),
    refusedWith("input_invalid"),
  );
  node.clock.advance(100_000);
  await assert.rejects(node.operator.tokens.rotate(made.tokenId), refusedWith("token_unknown"));
  await node.stop();
});

test("the operator's token cannot be rotated where it is not in a data folder", async () => {
  const node = await gatedNode();
  await assert.rejects(node.operator.tokens.rotateOperator(), refusedWith("operator_token_configured"));
  await node.stop();
});

test("a create-token under a used key is refused unless principal, rights, lifetime and note are the same [X14]", async () => {
  const node = await gatedNode();
  const wide = { principal: "ci", allow: everything, note: "nightly" };
  const { secret } = await node.operator.tokens.create(wide, { key: "k" });
  const others = [
    { ...wide, principal: "cd" },
    { ...wide, allow: [{ verbs: ["read" as const], under: "only/this" }] },
    { ...wide, expiresInMs: 60_000 },
    { ...wide, note: "daily" },
    { principal: "ci", allow: everything },
  ];
  for (const other of others) {
    const refusal = await refusalOf(node.operator.tokens.create(other, { key: "k" }));
    assert.deepEqual([refusal.code, refusal.status], ["idempotency_replay_conflict", 422], JSON.stringify(other));
  }
  assert.equal(rejectionCode(node, secret), undefined, "a refused request does not void the secret");
  await node.operator.tokens.create({ ...wide, expiresInMs: 30 * 86_400 * 1000 }, { key: "k" });
  assert.equal(rejectionCode(node, secret), "token_invalid");
  await node.stop();
});

test("a token for a reserved principal is refused, and so is the revocation of an unknown token", async () => {
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

test("a node that starts on an existing journal knows the same tokens", async () => {
  const node = await gatedNode();
  const kept = await node.operator.tokens.create({ principal: "ci", allow: everything });
  const revoked = await node.operator.tokens.create({ principal: "old", allow: everything });
  await node.operator.tokens.revoke(revoked.tokenId);
  await node.stop();
  const again = await gatedNode({ disk: node.disk, clock: node.clock });
  assert.equal(rejectionCode(again, kept.secret), undefined);
  assert.equal(rejectionCode(again, revoked.secret), "token_invalid");
  await again.stop();
});

test("an attempt at an operator's operation is refused and recorded, at a limited rate [W10 W13]", async () => {
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
    (client) => client.tokens.rotate("x"),
    (client) => client.tokens.rotateOperator(),
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
  const operations = seen.map((item) => (item as { operation: string }).operation);
  assert.equal(operations.length, 11, "ten in the first minute and one after it");
  assert.deepEqual(operations.slice(0, 3), ["configure", "configure-locks", "force-release"]);
  const by = { principal: "anonymous" };
  assert.deepEqual(seen.at(-1), { operation: "configure-locks", reason: "not_allowed", unrecorded: 21, by });
  await node.stop();
});

test("a failed authentication is recorded with its door and code, at a limited rate, and without any part of the token [X14 X15]", async () => {
  const node = await gatedNode();
  const fail = (door: "http" | "socket" | "nats", token?: string) =>
    admitLatest(node.gate, { token, isLoopback: false, connection: "c", door });
  const guess = "hf_a-guessed-secret-0123456789";
  for (let index = 0; index < 25; index += 1) await fail("http", guess);
  await fail("socket");
  await node.clock.pass(60_000, 1_000);
  await fail("http", guess);
  await admitLatest(node.gate, { token: operatorSecret, isLoopback: false, connection: "c", door: "http" });
  await node.operator.entities.create("end", "1", {});
  const { items } = await node.operator.audit.list({ operation: "note-rejection", limit: 100 });
  const seen: { data: unknown; by: unknown }[] = [];
  for await (const { name, data, by } of node.client.watch({ after: "1.0" })) {
    if (name === "evt.end.created") break;
    if (name === "evt.access.rejected") seen.push({ data, by });
  }
  assert.equal(items.length, 12, "ten at one door and one at another in the first minute, and one after it");
  assert.deepEqual([items[0]?.reason, items[1]?.reason], ["http: token_invalid", "socket: token_required"]);
  assert.equal(seen.length, 12);
  for (const { by } of seen) assert.deepEqual(by, { principal: "unknown" });
  assert.deepEqual(seen[0]?.data, { door: "http", code: "token_invalid" });
  assert.deepEqual(seen[10]?.data, { door: "socket", code: "token_required" });
  assert.deepEqual(seen[11]?.data, { door: "http", code: "token_invalid", unrecorded: 15 });
  assert.doesNotMatch(JSON.stringify(await node.operator.journal.list({ limit: 1_000 })), /guess|0123456789/u);
  await assert.rejects(
    node.operator.tokens.create({ principal: "unknown", allow: everything }),
    refusedWith("principal_reserved"),
  );
  await node.stop();
});

test("an agent is refused operators' operations, even an agent of the operator [W10 W13]", async () => {
  const node = await gatedNode();
  const agent = node.operator.as(await node.operator.agents.register({ name: "helper" }));
  const calls = [
    ["configure", { settings: { state_hash_every: 100 } }],
    ["create-token", { principal: "me", allow: everything }],
  ] as const;
  for (const [operation, input] of calls) {
    await assert.rejects(agent.run(operation, input), refusedWith("not_allowed"));
    const embedded = await node.client.agents.register({ name: "embedded" });
    if (operation === "create-token") {
      await assert.rejects(node.client.as(embedded).run(operation, input), refusedWith("not_allowed"));
    }
  }
  await node.stop();
});
