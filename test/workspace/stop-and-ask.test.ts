/**
 * Where an agent must stop and ask, the software refuses. Each row of the table in `docs/concepts/workspace.md` has a
 * test. Each is sent through the client and through the routes of HTTP. The refusal changes nothing and names what to
 * send. Then it is sent.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { point, puts } from "./workspace-decider.ts";
import { projectOf, twoCallers } from "./two-callers.ts";
import type { Caller, TwoCallers } from "./two-callers.ts";

let world: TwoCallers;
before(async () => {
  world = await twoCallers();
});
after(() => world[Symbol.asyncDispose]());

/** Runs a row at each door. */
async function atEachDoor(row: (caller: Caller, project: string) => Promise<void>): Promise<void> {
  for (const caller of world.callers) await row(caller, projectOf(caller));
}

/** The refusal of a call that changes nothing. */
async function refused(
  caller: Caller,
  operation: string,
  input: JsonObject,
  expected: { readonly code: string; readonly isAudited?: boolean },
): Promise<JsonObject> {
  const [before, first] = [await world.state(), await attemptsOf(caller)];
  const { code, data } = await caller.ask(operation, input);
  const label = `${operation} through ${caller.door}: ${JSON.stringify(data)}`;
  assert.equal(code, expected.code, label);
  assert.equal(await world.state(), before, label);
  const attempts = (await attemptsOf(caller)) - first;
  if (expected.isAudited !== undefined) assert.equal(attempts, expected.isAudited ? 1 : 0, label);
  return data;
}

/** The number of refusals of an agent in the audit trail. */
async function attemptsOf({ agent }: Caller): Promise<number> {
  const { items } = await world.operator.operations.listAudit({ agent, limit: 1_000 });
  return items.filter(({ outcome }) => outcome !== "done").length;
}

const choicesOf = (data: JsonObject): readonly JsonObject[] => data["choices"] as unknown as readonly JsonObject[];

interface NeededLock extends JsonObject {
  readonly path: string;
}

test("a refusal names the path, mode, scope and holders of the missing lock, and the rules can be read before [W4 W12 W13]", () =>
  atEachDoor(async (caller, project) => {
    const input = { project, map: "m", sketch: "a", changes: puts(1, "new") };
    const path = `project/${project}/map/m/sketch/a`;
    const other = await world.operator.acquire({ path, mode: "read" }, { purpose: "viewing" });
    const data = await refused(caller, "workspace.change-objects", input, {
      code: "workspace.lock_required",
      isAudited: true,
    });
    const [missing] = data["missing"] as unknown as readonly (NeededLock & {
      readonly holders: readonly JsonObject[];
    })[];
    assert.deepEqual([missing?.path, missing?.["mode"], missing?.["scope"]], [path, "write", "self"]);
    assert.deepEqual(
      missing?.holders.map(({ purpose }) => purpose),
      ["viewing"],
    );
    await other.release();
    const { items } = (await caller.ask("workspace.list-rules", {})).data as { readonly items: readonly JsonObject[] };
    const rule = items.find(({ operation }) => operation === "workspace.change-objects");
    assert.deepEqual(rule?.["lock"], { level: "sketch", mode: "write", scope: "self" });
    const { fence } = await caller.done("acquire-lock", { paths: data["acquire"] ?? [], ttl_seconds: 45 });
    await caller.done("workspace.change-objects", { ...input, fence: fence ?? "" });
    await caller.done("release-lock", { fence: fence ?? "" });
  }));

test("a command about several sketches is refused with the question whether to lock each of them or the map [W4 W13]", () =>
  atEachDoor(async (caller, project) => {
    const changes = ["a", "b"].map((sketch) => ({ op: "put", sketch, object: "n1", value: point }));
    const input = { project, map: "m", changes, lock: "take" };
    const data = await refused(caller, "workspace.change-objects", input, {
      code: "workspace.scope_ambiguous",
      isAudited: true,
    });
    assert.match(
      data["question"] as string,
      /^These 2 objects lie in 2 sketches of the map m\. Lock each sketch, or the map\?/u,
    );
    assert.deepEqual(choicesOf(data), [{ level: "sketch" }, { level: "map" }]);
    assert.deepEqual(data["sketches"], [
      { sketch: "a", objects: 1 },
      { sketch: "b", objects: 1 },
    ]);
    for (const choice of choicesOf(data)) await caller.done("workspace.change-objects", { ...input, ...choice });
  }));

test("a set of locks is sorted, and waiting out of the global order is refused with both paths and the order [W5 W13]", () =>
  atEachDoor(async (caller, project) => {
    const [first, second] = ["a", "b"].map((sketch) => `project/${project}/map/m/sketch/${sketch}`) as [string, string];
    const waiting = { ttl_seconds: 45, wait: true };
    const { fence } = await caller.done("acquire-lock", { paths: [second], ttl_seconds: 45 });
    const data = await refused(caller, "acquire-lock", { paths: [first], ...waiting }, { code: "lock_order" });
    assert.deepEqual([data["requested"], data["held"]], [first, second]);
    assert.match(data["order"] as string, /project.*map.*sketch/u);
    await caller.done("release-lock", { fence: fence ?? "" });
    const set = await caller.done("acquire-lock", { paths: [second, first], ...waiting });
    assert.deepEqual(
      (set["paths"] as unknown as readonly NeededLock[]).map(({ path }) => path),
      [first, second],
    );
    await caller.done("release-lock", { fence: set["fence"] ?? "" });
  }));

test("files are published by the ten steps in their order, and no operation does a part of them in another one [W6 W13]", () =>
  atEachDoor(async (caller, project) => {
    const target = `project/${project}/map/m/tiles`;
    const open = { target, root: "fast", fence: "1.1" };
    await refused(caller, "files.commit", { id: "p1-999999" }, { code: "files.publish_unknown" });
    const { reason } = await refused(caller, "files.open", open, { code: "fence_stale" });
    assert.equal(typeof reason, "string");
    const path = `project/${project}/map/m`;
    const first = (await caller.done("acquire-lock", { paths: [path], ttl_seconds: 45 }))["fence"] ?? "";
    const { id = "" } = await caller.done("files.open", { ...open, fence: first });
    await caller.done("release-lock", { fence: first });
    await refused(caller, "files.commit", { id }, { code: "fence_stale" });
    await caller.done("files.abort", { id });
    const fence = (await caller.done("acquire-lock", { paths: [path], ttl_seconds: 45 }))["fence"] ?? "";
    const again = await caller.done("files.open", { ...open, fence });
    const committed = await caller.done("files.commit", { id: again["id"] ?? "", release: true });
    assert.equal(committed["version"], 1);
    await refused(caller, "files.commit", { id: again["id"] ?? "" }, { code: "files.publish_unknown" });
  }));

test("one command is one entry: it changes all its objects or none of them [W4 W13]", () =>
  atEachDoor(async (caller, project) => {
    const change = (object: string, version: number) => ({
      op: "put",
      object,
      value: { ...point, points: [version, 1] },
      expected_version: version,
    });
    const found = await caller.done("workspace.get-object", {
      project,
      map: "m",
      sketch: "a",
      object: "n1",
      lock: "take",
    });
    const version = found["version"] as number;
    const input = { project, map: "m", sketch: "a", lock: "take" };
    const changes = [change("whole", 0), change("n1", version + 7)];
    const data = await refused(
      caller,
      "workspace.change-objects",
      { ...input, changes },
      { code: "workspace.concurrency_mismatch" },
    );
    assert.equal(data["current_version"], version);
    const right = [change("whole", 0), change("n1", version)];
    const { position, objects } = (await caller.done("workspace.change-objects", { ...input, changes: right })) as {
      position?: number;
      objects: JsonObject[];
    };
    assert.equal(objects.length, 2, String(position));
  }));

test("a change of a record without the version that it expects is refused, and no lock is taken that the caller did not request [W4 W13]", async () => {
  await atEachDoor(async (caller, project) => {
    const map = { project, map: "m" };
    const changes = { name: `Named through ${caller.door}` };
    const before = await world.state();
    if (caller.door === "HTTP") {
      const answer = await fetch(`${world.url}/v1/workspace/projects/${project}/maps/m?lock=take`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/merge-patch+json" },
        body: JSON.stringify(changes),
      });
      assert.equal(answer.status, 428);
      assert.equal(((await answer.json()) as { code: string }).code, "workspace.concurrency_etag_required");
    }
    assert.equal(await world.state(), before);
    const { revision = "" } = await caller.done("workspace.get-map", { ...map, lock: "take" });
    const input = { ...map, changes, expected_revision: revision };
    const { acquire } = await refused(caller, "workspace.update-map", input, {
      code: "workspace.lock_required",
      isAudited: true,
    });
    assert.deepEqual(acquire, [{ path: `project/${project}/map/m`, mode: "write", scope: "self" }]);
    await caller.done("workspace.update-map", { ...input, lock: "take" });
    assert.deepEqual((await world.operator.operations.listLocks({})).items, [], "the lock was held for one entry");
  });
});

test("a deployment says whether it has one node or several, and which node has which root [W11 W13]", async () => {
  const health = (await (await fetch(`${world.url}/health`)).json()) as Readonly<Record<string, unknown>>;
  assert.deepEqual([health["journal"], health["nodes"]], ["sqlite", 1]);
  await atEachDoor(async (caller) => {
    const { items } = (await caller.done("files.list-roots", {})) as { readonly items: readonly JsonObject[] };
    assert.deepEqual(
      items.map(({ root, is_here }) => [root, is_here]),
      [
        ["fast", true],
        ["large", true],
      ],
    );
    assert.ok(items.every(({ node }) => typeof node === "string" && node !== ""));
  });
});

test("a project or a backup is refused with the question in which root it is, if there are several [W4 W11 W13]", () =>
  atEachDoor(async (caller, project) => {
    const create = { project: `${project}-new`, name: "n", lock: "take" };
    for (const [operation, input] of [
      ["workspace.create-project", create],
      ["workspace.backup-project", { project }],
    ] as const) {
      const data = await refused(caller, operation, input, { code: "workspace.root_ambiguous", isAudited: true });
      assert.match(
        data["question"] as string,
        /^There are 2 storage roots: fast, large\. In which one .* Send root\.$/u,
      );
      assert.deepEqual(choicesOf(data), [{ root: "fast" }, { root: "large" }]);
      await caller.done(operation, { ...input, ...choicesOf(data)[1] });
    }
    const made = await caller.done("workspace.get-project", { project: create.project, lock: "take" });
    assert.equal(made["root"], "large");
  }));

/** Changes of the rules that an agent must not make, and no caller but an operator may. */
const forbidden: readonly (readonly [string, JsonObject])[] = [
  ["configure-locks", { kinds: [{ name: "mine", under: "mine", policy: "expire" }] }],
  ["configure-locks", { limits: { ttl_seconds_max: 60 } }],
  ["jobs.configure", { max_global_jobs: 9 }],
  ["jobs.pause", { type: "workspace.backup" }],
  ["files.configure", { retention_seconds: 1 }],
  ["force-release", { fence: "1.1", reason: "it is blocking" }],
  ["override-release", { fence: "1.1", reason: "it is blocking" }],
];

test("an agent adds no kind of lock, weakens no lease and no cap, and forces no release, also as an operator [W10 W13]", async () => {
  const agent = await world.operator.agents.register({ name: "an agent of the operator" });
  for (const [operation, input] of forbidden) {
    await atEachDoor(async (caller) => {
      await refused(caller, operation, input, { code: "not_allowed" });
    });
    const before = await world.state();
    const { outcome } = await world.operator.as(agent).execute(operation, input);
    assert.equal(outcome.kind === "refusal" && outcome.code, "not_allowed", `${operation} ${JSON.stringify(outcome)}`);
    assert.equal(await world.state(), before, operation);
  }
  const { items } = await world.operator.operations.listAudit({ operation: "note-refusal", limit: 1_000 });
  const notes = items.filter(({ by }) => by.agent === agent.agentId);
  assert.equal(notes.length, forbidden.length, "each attempt is in the audit trail");
});

test("the general operations on entities and files bypass neither the rules nor the locks of a project [W12 W13]", () =>
  atEachDoor(async (caller, project) => {
    const record = { type: "workspace-map", id: `${project}/m` };
    const { revision = "" } = await caller.done("workspace.get-map", { project, map: "m", lock: "take" });
    const change = { ...record, expected_revision: revision };
    for (const [operation, input] of [
      ["replace-entity", { ...change, value: { name: "x" } }],
      ["patch-entity", { ...change, merge: { name: "x" } }],
      ["delete-entity", change],
    ] as const)
      await refused(caller, operation, input, { code: "workspace.own_operations" });
    const read = await refused(caller, "get-entity", record, { code: "workspace.lock_required" });
    assert.deepEqual(read["acquire"], [{ path: `project/${project}/map/m`, mode: "read", scope: "self" }]);
    const target = `project/${project}/map/m/tiles`;
    const files = await refused(caller, "files.get", { target }, { code: "files.lock_required" });
    const { fence = "" } = await caller.done("acquire-lock", { paths: files["acquire"] ?? [], ttl_seconds: 45 });
    assert.equal((await caller.done("files.get", { target, fence }))["version"], 1);
    assert.equal((await caller.done("get-entity", record))["version"] !== undefined, true);
    await caller.done("release-lock", { fence });
  }));
