import assert from "node:assert/strict";
import { test } from "node:test";
import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import { isAllowed, packs, publicOperations } from "@holdfast/sdk/contract";
import type { Verb } from "@holdfast/sdk/contract";
import type { Client, WatchedEvent } from "holdfast";
import { appOperations } from "../../server/src/app/calls/app-operations.ts";
import { refusedWith } from "../api/refused-with.ts";
import { granted, queued } from "../locks/lock-node.ts";
import { gatedNode } from "./gated-node.ts";
import type { GatedNode } from "./gated-node.ts";
import { rawAcquire, rawLocks } from "../locks/raw-acquire.ts";

const agentVerbs: Verb[] = ["read", "write", "lock", "register"];

test("a prefix is compared segment by segment, never as text", () => {
  for (const path of ["repo/x", "repo/x/a", "repo/x/a/b"]) assert.ok(isAtOrBelow(path, "repo/x"), path);
  for (const path of ["repo/xy", "repo/x-a", "repo", "repo/", "", "a/repo/x"]) {
    assert.ok(!isAtOrBelow(path, "repo/x"), path);
  }
  assert.ok(isAtOrBelow("anything", ""));
  const allow = [
    { verbs: ["read" as const], under: "repo" },
    { verbs: ["write" as const], under: "repo/x" },
  ];
  assert.ok(isAllowed(allow, ["write"], "repo/x/a"));
  assert.ok(!isAllowed(allow, ["write"], "repo/y"), "verbs of one allowance do not apply to the prefix of another");
  assert.ok(!isAllowed(allow, ["read"], ""));
});

test("every public operation requires a right [M14]", () => {
  const operations = [...publicOperations, ...packs.flatMap((pack) => pack.operations)];
  assert.ok(operations.length > 60);
  for (const { name, rights } of operations) {
    assert.ok(rights.length > 0 && rights.every(({ verbs }) => verbs.length > 0), name);
  }
  const registry = appOperations([]);
  assert.deepEqual(new Set(registry.all.map(({ name }) => name)), new Set(operations.map(({ name }) => name)));
  for (const name of ["note-refusal", "toString"]) assert.equal(registry.find(name), undefined, name);
});

/** Each operation with a function that makes its input below a prefix, for example `repo/x` or the type `doc`. */
const confined: readonly (readonly [string, (path: string) => object])[] = [
  ["create-entity", (path) => ({ ...entityAt(path), value: {} })],
  ["replace-entity", (path) => ({ ...entityAt(path), value: {} })],
  ["patch-entity", (path) => ({ ...entityAt(path), merge: {} })],
  ["delete-entity", entityAt],
  ["get-entity", entityAt],
  ["list-history", entityAt],
  ["acquire-lock", (path) => ({ paths: [path, { path: `${path}/b`, mode: "read" }], owner_id: "o" })],
  ["release-lock", (path) => ({ paths: [path], owner_id: "o" })],
  ["renew-lock", (path) => ({ path, owner_id: "o" })],
  ["upgrade-lock", (path) => ({ path, owner_id: "o" })],
  ["downgrade-lock", (path) => ({ path, mode: "read", owner_id: "o" })],
  ["transfer-lock", (path) => ({ path, to: "p", owner_id: "o" })],
  ["request-release", (path) => ({ path, reason: "please", owner_id: "o" })],
  ["list-locks", (path) => ({ under: path })],
  ["get-lock", (path) => ({ path })],
  ["list-lock-history", (path) => ({ path })],
  ["check-fence", (path) => ({ path, fence: "1.1" })],
];

function entityAt(path: string): { type: string; id: string } {
  const [type = "", ...id] = path.split("/");
  return { type, id: id.join("/") };
}

async function codeOf(client: Client, operation: string, input: object): Promise<string> {
  const { outcome } = await client.execute(operation, input);
  return outcome.kind === "done" ? "done" : outcome.code;
}

test("a token reaches paths and types below its prefixes and no others, with any operation", async () => {
  const node = await gatedNode();
  const client = node.clientWith({ token: await node.tokenFor("ci", [{ verbs: agentVerbs, under: "repo/x" }]) });
  for (const [operation, input] of confined) {
    for (const path of ["repo/x", "repo/x/a"]) {
      assert.notEqual(await codeOf(client, operation, input(path)), "not_allowed", `${operation} ${path}`);
    }
    for (const path of ["repo/xy", "repo/y", "other/x"]) {
      assert.equal(await codeOf(client, operation, input(path)), "not_allowed", `${operation} ${path}`);
    }
  }
  const mixed = { paths: ["repo/x/a", "repo/y"], owner_id: "o" };
  assert.equal(await codeOf(client, "acquire-lock", mixed), "not_allowed", "one forbidden path refuses the whole set");
  await node.stop();
});

test("a token without the verb of an operation is refused below its own prefix too", async () => {
  const node = await gatedNode();
  for (const [operation, input] of confined) {
    const verbs =
      appOperations([])
        .find(operation)
        ?.rights.flatMap((right) => right.verbs) ?? [];
    const others = agentVerbs.filter((verb) => !verbs.includes(verb));
    const client = node.clientWith({ token: await node.tokenFor("ci", [{ verbs: others, under: "" }]) });
    assert.equal(await codeOf(client, operation, input("repo/x")), "not_allowed", operation);
  }
  await node.stop();
});

test("an operation on the whole space requires the verb on every path", async () => {
  const node = await gatedNode();
  const client = node.clientWith({ token: await node.tokenFor("ci", [{ verbs: agentVerbs, under: "repo" }]) });
  const calls: (readonly [string, object])[] = [
    ["list-agents", {}],
    ["list-waits", {}],
    ["list-locks", {}],
    ["list-locks", { under: "repo/x", view: "dal_locks" }],
    ["list-locks", { under: "repo/x", owner_id: "somebody" }],
    ["who-am-i", { owner_id: "somebody" }],
    ["list-audit", {}],
    ["list-entities", { type: "doc" }],
    ["planning.list-missions", {}],
    ["planning.create-organization", { name: "x" }],
  ];
  for (const [operation, input] of calls) {
    assert.equal(await codeOf(client, operation, input), "not_allowed", `${operation} ${JSON.stringify(input)}`);
  }
  assert.equal(await codeOf(client, "list-entities", { type: "repo" }), "done");
  const { outcome } = await client.execute("list-audit", {});
  assert.match(JSON.stringify(outcome.data), /it concerns the whole space; list-history and list-lock-history/u);
  await node.stop();
});

for (const holds of ["another principal", "another token of the same principal"]) {
  test(`a fence or a ticket of ${holds} outside the prefixes of a token is answered exactly like an unknown one [X14]`, async () => {
    const node = await gatedNode();
    const whole = await node.tokenFor(holds === "another principal" ? "hr" : "ci", [{ verbs: agentVerbs, under: "" }]);
    const holder = node.clientWith({ token: whole, connection: "holder" });
    const held = await holder.operations.acquireLock({ paths: ["hr/layoffs/jane-doe"], ownerId: "o", ttlMs: 60_000 });
    const queued = await holder.operations.acquireLock({
      paths: ["hr/layoffs/jane-doe"],
      ownerId: "p",
      ttlMs: 60_000,
      wait: true,
    });
    assert.ok(held.granted && !queued.granted);
    const client = node.clientWith({ token: await node.tokenFor("ci", [{ verbs: agentVerbs, under: "repo/x" }]) });
    const { fence } = held;
    const { ticket } = queued;
    const calls: (readonly [string, object])[] = [
      ["release-lock", { fence, owner_id: "o" }],
      ["release-lock", { fence, owner_id: "another" }],
      ["release-lock", { fence }],
      ["release-lock", { fence, paths: ["repo/x/a"], owner_id: "o" }],
      ["renew-lock", { fence, owner_id: "o" }],
      ["upgrade-lock", { fence, owner_id: "o" }],
      ["downgrade-lock", { fence, mode: "read", owner_id: "o" }],
      ["transfer-lock", { fence, to: "q", owner_id: "o" }],
      ["accept-lock", { ticket, owner_id: "p" }],
      ["cancel-ticket", { ticket, owner_id: "p" }],
      ["get-ticket", { ticket }],
      ["check-fence", { fence, path: "repo/x/a" }],
      ["create-entity", { type: "repo", id: "x", value: {}, fence }],
    ];
    const answer = async (operation: string, input: object, id: string): Promise<string> => {
      const { outcome, events } = await client.execute(operation, input);
      return JSON.stringify([outcome, events]).replaceAll(id, "the id");
    };
    const before = node.engine.head.position;
    for (const [operation, input] of calls) {
      const unknown = { ...input, ...("fence" in input ? { fence: "1.999" } : { ticket: "1.999" }) };
      const foreign = await answer(operation, input, "fence" in input ? fence : ticket);
      assert.equal(foreign, await answer(operation, unknown, "1.999"), operation);
      assert.doesNotMatch(foreign, /jane|not_allowed/u, operation);
    }
    assert.equal(node.engine.head.position, before, "the journal has no entry of it");
    await holder.locks.release({ fence }, { ownerId: "o" });
    const granted = await answer("get-ticket", { ticket }, ticket);
    assert.equal(granted, await answer("get-ticket", { ticket: "1.999" }, "1.999"), "a granted ticket is unknown too");
    await node.stop();
  });
}

test("the end of an agent is shown to its own principal, and to others the agent is unknown [X14 M14]", async () => {
  const node = await gatedNode();
  const lock = [{ verbs: ["lock", "register"] satisfies Verb[], under: "repo/x" }];
  const own = node.clientWith({ token: await node.tokenFor("ann", lock), connection: "own" });
  const foreign = node.clientWith({ token: await node.tokenFor("bob", lock), connection: "foreign" });
  const { agentId: id } = await own.agents.register({ name: "deployer" });
  const asked = async (client: typeof own) =>
    (await client.as({ agentId: id }).execute("release-lock", { fence: "1.9" })).outcome;
  assert.deepEqual(await asked(foreign), refusalOf("agent_unknown", { agent_id: id }), "a live one");
  await node.operator.agents.end(id, { reason: "merger" });
  const shown = await asked(own);
  assert.ok(shown.kind === "refusal");
  assert.deepEqual([shown.code, shown.data["why"], shown.data["by"]], ["agent_unknown", "requested", "operator"]);
  assert.deepEqual(await asked(foreign), refusalOf("agent_unknown", { agent_id: id }), "an ended one");
  await node.stop();
});

function refusalOf(code: string, data: object): object {
  return { kind: "refusal", code, data };
}

test("an operator of a prefix can force-release locks below it, no others, and cannot configure the server [W10]", async () => {
  const node = await gatedNode();
  const secret = await node.tokenFor("janitor", [{ verbs: ["operate"], under: "repo/x" }]);
  const janitor = node.admit({ token: secret });
  assert.equal(janitor.isOperator, false);
  const client = node.clientWith({ token: secret });
  const inside = await node.operator.operations.acquireLock({ paths: ["repo/x/a"], ownerId: "o" });
  const outside = await node.operator.operations.acquireLock({ paths: ["repo/y"], ownerId: "o" });
  assert.ok(inside.granted && outside.granted);
  const free = (fence: string) => codeOf(client, "force-release", { fence, reason: "stuck" });
  assert.equal(await free(outside.fence), "lock_not_held");
  assert.equal(await free(inside.fence), "done");
  assert.equal(await free("1.999"), "lock_not_held");
  assert.equal(await codeOf(client, "configure-locks", { lock_manager: false }), "not_allowed");
  assert.equal(await codeOf(client, "create-token", { principal: "a", allow: [] }), "input_invalid");
  const more = { principal: "a", allow: [{ verbs: ["operate"], under: "" }] };
  assert.equal(await codeOf(client, "create-token", more), "not_allowed");
  await node.stop();
});

test("an unknown or internal operation is refused as unknown for all callers", async () => {
  const node = await gatedNode();
  for (const operation of ["note-refusal", "expire-lock", "renew-agents", "constructor", "nothing"]) {
    for (const client of [node.operator, node.clientWith()]) {
      await assert.rejects(client.run(operation, {}), refusedWith("operation_unknown"), operation);
    }
  }
  await node.stop();
});

test("a write reply to a caller that may not read has neither the value nor changes of others", async () => {
  const node = await gatedNode();
  const secret = await node.tokenFor("blind", [{ verbs: ["write"], under: "doc" }]);
  const client = node.clientWith({ token: secret });
  await node.operator.entities.create("doc", "1", { hidden: "sesame" });
  const done = await client.execute("patch-entity", { type: "doc", id: "1", merge: { mine: 1 } });
  const conflict = await client.execute("patch-entity", {
    type: "doc",
    id: "1",
    merge: { mine: 2 },
    expected_version: 1,
  });
  assert.deepEqual([done.outcome.kind, conflict.outcome.kind], ["done", "refusal"]);
  assert.doesNotMatch(JSON.stringify([done, conflict]), /sesame|"mine"/);
  const reader = node.clientWith({ token: await node.tokenFor("seer", [{ verbs: ["read", "write"], under: "doc" }]) });
  const seen = await reader.execute("patch-entity", { type: "doc", id: "1", merge: { mine: 3 } });
  assert.match(JSON.stringify(seen), /sesame/);
  await node.stop();
});

/** Runs every lock operation on sets of one visible and one hidden path. At the end one owner holds them all. */
async function workOnSets({ operator, clock }: GatedNode): Promise<void> {
  const locks = rawLocks(operator);
  for (const hidden of ["a-secret/1", "secret/plan-9"]) {
    const paths = ["repo/x/a", hidden];
    const as = (ownerId: string) => ({ ownerId, ttlMs: 3_600_000 });
    const first = granted(await locks.acquire(paths, as("boss")));
    queued(await locks.acquire(paths, { ...as("second"), wait: true, ticketMs: 60_000 }));
    await locks.renew({ fence: first.fence }, as("boss"));
    const down = await locks.downgrade({ fence: first.fence }, "upgradeable", as("boss"));
    const up = granted(await locks.upgrade({ fence: down.fence }, as("boss")));
    const given = await locks.transfer({ fence: up.fence }, "deputy", as("boss"));
    await locks.release({ fence: given.fence }, as("deputy"));
    await locks.release({ paths }, as("second"));
    const stuck = granted(await locks.acquire(paths, as("stuck")));
    await locks.forceRelease(stuck.fence, "stuck");
    granted(await locks.acquire(paths, { ownerId: "gone", ttlMs: 5_000 }));
    await clock.pass(6_000, 500);
  }
  granted(await locks.acquire(["a-secret/1", "repo/x/a", "secret/plan-9"], { ownerId: "last", ttlMs: 3_600_000 }));
}

test("a caller that may see one path of a lock set learns of no path that it may neither read nor lock", async () => {
  const node = await gatedNode();
  await workOnSets(node);
  const path = "repo/x/a";
  const whole = await node.operator.locks.history(path);
  const types = new Set(whole.items.map((item) => (item as { readonly event: string }).event));
  const verbs = ["acquired", "queued", "downgraded", "upgraded", "transferred", "released", "forced", "expired"];
  for (const verb of verbs) assert.ok(types.has(`evt.lock.${verb}`), verb);
  assert.match(JSON.stringify(whole), /"of":"a-secret.*"paths":\[/);
  for (const verb of ["read", "lock"] as const) {
    const client = node.clientWith({ token: await node.tokenFor(verb, [{ verbs: [verb], under: "repo/x" }]) });
    const history = await client.locks.history(path);
    const answers = [
      history,
      await client.locks.status(path),
      await client.locks.statusAt(path, node.engine.head.position),
      await client.locks.list({ under: "repo/x" }),
      ...(verb === "read" ? [] : [await client.execute("acquire-lock", { paths: [path], owner_id: "me" })]),
      ...(verb === "read" ? [] : [await client.execute("acquire-lock", { paths: [path], owner_id: "me", wait: true })]),
      await client.execute("who-am-i", { owner_id: "last" }),
    ];
    for (const answer of answers) assert.doesNotMatch(JSON.stringify(answer), /secret/);
    const items = history.items as readonly { readonly data: Readonly<Record<string, unknown>> }[];
    assert.ok(items.length >= whole.items.length, "every event is listed");
    assert.ok(
      items.some(({ data }) => JSON.stringify(data["paths"] ?? []).includes(path)),
      "events show the visible path",
    );
  }
  await node.stop();
});

test("a deadlock report names all owners in the cycle, and hides paths that its reader may neither read nor lock [X6]", async () => {
  const node = await gatedNode();
  const allow = [{ verbs: ["lock" as const, "register" as const], under: "repo/x" }];
  const client = node.clientWith({ token: await node.tokenFor("ci", allow), connection: "ci" });
  const agent = await client.agents.register({ name: "ann" });
  const ann = client.as(agent);
  const locks = rawLocks(node.operator);
  const hold = { ttlMs: 600_000 };
  granted(await rawAcquire(ann, "repo/x/a", hold));
  granted(await locks.acquire("repo/x/b", { ...hold, ownerId: "bob" }));
  granted(await locks.acquire("secret/q", { ...hold, ownerId: "carl" }));
  queued(await locks.acquire("secret/q", { ...hold, ownerId: "bob", wait: true }));
  queued(await locks.acquire("repo/x/a", { ...hold, ownerId: "carl", wait: true }));
  const watched = client.watch({ owner: agent.agentId, names: ["evt.lock.deadlock"] });
  const refused = await ann.execute("acquire-lock", { paths: ["repo/x/b"], wait: true });
  const { data } = refused.outcome as { readonly data: Readonly<Record<string, unknown>> };
  const cycle = data["cycle"] as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    cycle.map(({ blocked_by: other, waits_for: wanted, path }) => [other, wanted, path]),
    [
      ["bob", "repo/x/b", "repo/x/b"],
      ["carl", undefined, undefined],
      [agent.agentId, "repo/x/a", "repo/x/a"],
    ],
  );
  assert.match(data["cycle_text"] as string, /bob waits for a path that you may not read, because carl holds a path/);
  const event = (await watched.next()).value as WatchedEvent;
  const listed = await client.locks.history("repo/x/b");
  assert.match(JSON.stringify(listed), /evt\.lock\.deadlock/);
  assert.equal(refused.events.length, 1);
  assert.doesNotMatch(JSON.stringify([refused, event, listed]), /secret/);
  const outer = await node.operator.agents.register({ name: "outer" });
  const inner = await node.operator.agents.register({ parent: outer.agentId, parentWaits: true });
  granted(await rawAcquire(node.operator.as(outer), "repo/x/c", hold));
  queued(await rawAcquire(node.operator.as(inner), "secret/q", { ...hold, wait: true }));
  const throughChild = await ann.execute("acquire-lock", { paths: ["repo/x/c"], wait: true });
  const { cycle_text: text } = throughChild.outcome.data as { readonly cycle_text: string };
  assert.match(text, new RegExp(`${outer.agentId} waits for its child ${inner.agentId}; ${inner.agentId} waits for a`));
  assert.doesNotMatch(JSON.stringify(throughChild), /secret/);
  await node.stop();
});
