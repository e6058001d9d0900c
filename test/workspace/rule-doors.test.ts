/** Every row of the rule table through HTTP and through the socket, on one server with a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "holdfast";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { puts } from "./workspace-decider.ts";
import { ruledRows } from "./ruled-rows.ts";
import type { RuledLock, RuledRow } from "./ruled-rows.ts";
import { twoDoors } from "./two-doors.ts";
import type { DoorName, TwoDoors } from "./two-doors.ts";

interface Answer {
  readonly code: string;
  readonly data: JsonObject;
}

/** Sends an operation with the members of the wire. */
async function ask(client: Client, name: string, input: JsonObject): Promise<Answer> {
  const stream = name === "get-tile" ? { acceptsStream: true as const } : {};
  const { outcome } = await client.execute(`workspace.${name}`, input, stream);
  const data = outcome.data as JsonObject;
  if (outcome.kind === "done") return { code: "done", data };
  // The map has no tiles. The lock was in order if the answer is about the files.
  return { code: outcome.code === "files.version_unknown" ? "done" : outcome.code, data };
}

async function done(client: Client, name: string, input: JsonObject): Promise<JsonObject> {
  const { code, data } = await ask(client, name, { ...input, lock: "take" });
  assert.equal(code, "done", `${name} ${JSON.stringify(data).slice(0, 300)}`);
  return data;
}

/** A write lock of an owner without an agent. Its fence proves it for the principal. */
async function fenceOf(client: Client, locks: readonly RuledLock[]): Promise<string> {
  const { outcome } = await client.execute("acquire-lock", { paths: locks, owner_id: "tests", ttl_seconds: 45 });
  assert.equal(outcome.kind, "done", JSON.stringify(outcome));
  return (outcome.data as { readonly fence: string }).fence;
}

const release = (client: Client, fence: string): Promise<unknown> =>
  client.execute("release-lock", { fence, owner_id: "tests" });

/** The project of a door. Ann owns it, Eve manages it, and Zoe has a role to lose. */
async function build(ann: Client, eve: Client, id: string): Promise<{ readonly approval: string }> {
  const project = { project: id };
  await done(ann, "create-project", { ...project, name: "Main building" });
  for (const [principal, role] of [
    ["eve", "manager"],
    ["zoe", "viewer"],
  ] as const)
    await done(ann, "set-role", { ...project, principal, role });
  for (const map of ["m1", "m2"]) await done(ann, "create-map", { ...project, map, name: map });
  for (const sketch of ["s1", "s2"]) await done(ann, "create-sketch", { ...project, map: "m1", sketch, name: sketch });
  const objects = puts(1_001, "o");
  for (const changes of [objects.slice(0, 600), objects.slice(600)])
    await done(ann, "change-objects", { ...project, map: "m1", sketch: "s1", changes });
  const requested = await ask(ann, "request-approval", { ...project, action: "delete-project" });
  const { approval } = requested.data as { readonly approval: string };
  const decided = await ask(eve, "decide-approval", { ...project, approval, decision: "approve" });
  assert.equal(decided.code, "done", JSON.stringify(decided.data));
  return { approval };
}

/** An effect that another principal reads through another operation: the read, and the text that its answer has or lacks. */
interface Effect {
  readonly read: string;
  readonly input: JsonObject;
  readonly has?: string;
  readonly lacks?: string;
  readonly code?: string;
  readonly by?: "bob" | "zoe";
}

/** The effect of the operation of a row in the project of its input. */
function effectOf({ name, count, input }: RuledRow): Effect {
  const project = { project: input["project"] ?? "" };
  const map = { ...project, map: "m1" };
  const object = (sketch: string, prefix: string): Effect => ({
    ...{ read: "get-object", has: '"point"' },
    input: { ...map, sketch, object: `${prefix}${String(count)}` },
  });
  const effects: Readonly<Record<string, Effect>> = {
    "create-project": { read: "get-project", input: project, has: '"name":"New"' },
    "update-project": { read: "get-project", input: project, has: "Renamed" },
    "set-role": { read: "get-project", input: project, has: "Renamed", by: "bob" },
    "remove-role": { read: "get-project", input: project, code: "workspace.role_missing", by: "zoe" },
    "apply-template": { read: "list-maps", input: project, has: "west-plan" },
    "delete-project": { read: "list-projects", input: {}, lacks: JSON.stringify(input["project"]) },
    "create-map": { read: "list-maps", input: project, has: '"m9"' },
    "update-map": { read: "get-map", input: map, has: "Renamed" },
    "calibrate-map": { read: "get-map", input: map, has: '"unit":"m"' },
    "delete-map": { read: "list-maps", input: project, lacks: '"m1"' },
    "create-sketch": { read: "list-sketches", input: map, has: '"s9"' },
    "update-sketch": { read: "get-sketch", input: { ...map, sketch: "s1" }, has: "Renamed" },
    "delete-sketch": { read: "list-sketches", input: map, lacks: '"s1"' },
    "change-objects": object("s1", "n"),
    "reassign-objects": object("s2", "o"),
  };
  const effect = effects[name];
  assert.ok(effect !== undefined, `the effect of ${name} is not read`);
  return effect;
}

type Readers = Readonly<Record<"eve" | "bob" | "zoe", Client>>;

async function assertEffect(readers: Readers, effect: Effect, label: string): Promise<void> {
  const { read, input, has = "", lacks, code = "done", by = "eve" } = effect;
  const proof = read === "list-projects" ? {} : { lock: "take" };
  const answer = await ask(readers[by], read, { ...input, ...proof });
  const text = JSON.stringify(answer.data);
  assert.equal(answer.code, code, `${label}: ${text.slice(0, 300)}`);
  assert.ok(code !== "done" || text.includes(has), `${label}: ${text.slice(0, 300)}`);
  if (lacks !== undefined) assert.ok(!text.includes(lacks), `${label}: ${text.slice(0, 300)}`);
}

/** Deletions come last, the deepest first. */
const deletions = ["delete-sketch", "delete-map", "delete-project"];
const inOrder = (rows: readonly RuledRow[]): readonly RuledRow[] =>
  rows.toSorted((one, other) => deletions.indexOf(one.name) - deletions.indexOf(other.name));

const doors: readonly DoorName[] = ["http", "socket"];
const other = { http: "socket", socket: "http" } as const;

test("every row is refused without its lock and with an expired one, and done with it, and others read the effect [W4 W12]", async () => {
  await using server = await twoDoors();
  const { node } = server;
  const clientOf: TwoDoors["clientOf"] = (...of) => server.clientOf(...of);
  const kept: KeptEffect[] = [];
  for (const door of doors) {
    const ann = await clientOf("ann", door);
    const readers = {
      eve: await clientOf("eve", other[door]),
      bob: await clientOf("bob", other[door]),
      zoe: await clientOf("zoe", other[door]),
    };
    if (door === "http")
      await ask(ann, "create-template", { template: "floor", name: "A floor", maps: [{ map: "plan", name: "Plan" }] });
    const { approval } = await build(ann, readers.eve, door);
    const rows = ruledRows(door).map((row) => withSpecials(row, approval));
    const tree = (path: string): RuledLock => ({ path, mode: "write", scope: "tree" });
    const expired = await fenceOf(ann, [tree(`project/${door}`), tree(`project/${door}-new`)]);
    // The lease of 45 s and the grace of 90 s pass, and the server records the recovery.
    await node.clock.pass(110_000, 1_000);
    for (const { name, input, title } of rows) {
      const without = await ask(ann, name, input);
      assert.equal(without.code, "workspace.lock_required", `${title} over ${door}, without a lock`);
      const late = await ask(ann, name, { ...input, fence: expired });
      assert.equal(late.code, "workspace.lock_required", `${title} over ${door}, with an expired fence`);
    }
    for (const row of inOrder(rows)) {
      const label = `${row.title} over ${door}`;
      const fence = await fenceOf(ann, row.locks);
      const { code, data } = await ask(ann, row.name, { ...row.input, fence });
      assert.equal(code, "done", `${label}: ${JSON.stringify(data).slice(0, 300)}`);
      await release(ann, fence);
      if (row.isRead) continue;
      if (row.name === "create-project")
        await done(ann, "set-role", { project: `${door}-new`, principal: "eve", role: "viewer" });
      const effect = effectOf(row);
      await assertEffect(readers, effect, label);
      if (row.name === "reassign-objects") await moveBack(ann, row.input);
      // The deletion of a map or a project deletes everything in it.
      if (["create-project", "delete-project"].includes(row.name)) kept.push({ effect, label });
    }
  }
  const lasting = await lastingEffects(server);
  await server[Symbol.asyncDispose]();
  await using restarted = await twoDoors(node.disk);
  const again = {
    eve: await restarted.clientOf("eve", "http"),
    bob: await restarted.clientOf("bob", "http"),
    zoe: await restarted.clientOf("zoe", "http"),
  };
  for (const { effect, label } of [...kept, ...lasting]) await assertEffect(again, effect, `${label}, after a restart`);
});

interface KeptEffect {
  readonly effect: Effect;
  readonly label: string;
}

/** The effects of all operations but deletions, on a project that stays, for the reads after the restart. */
async function lastingEffects(server: TwoDoors): Promise<readonly KeptEffect[]> {
  const [ann, eve] = [await server.clientOf("ann", "socket"), await server.clientOf("eve", "http")];
  const { approval } = await build(ann, eve, "stays");
  const rows = ruledRows("stays").map((row) => withSpecials(row, approval));
  const kept: KeptEffect[] = [];
  for (const row of rows) {
    // The moves of more objects would move the same ones again.
    const isRepeated = row.name === "reassign-objects" && row.count > 1;
    if (row.isRead || isRepeated || deletions.includes(row.name)) continue;
    await done(ann, row.name, row.input);
    if (row.name === "create-project")
      await done(ann, "set-role", { project: "stays-new", principal: "eve", role: "viewer" });
    kept.push({ effect: effectOf(row), label: row.title });
  }
  return kept;
}

/** The approval of this project, and a role that its removal ends. */
function withSpecials(row: RuledRow, approval: string): RuledRow {
  if (row.name === "delete-project") return { ...row, input: { ...row.input, approval } };
  if (row.name === "remove-role") return { ...row, input: { ...row.input, principal: "zoe" } };
  return row;
}

/** The next row needs the objects where they were. */
async function moveBack(ann: Client, input: JsonObject): Promise<void> {
  const { from, to } = input as { readonly from: JsonObject; readonly to: JsonObject };
  await done(ann, "reassign-objects", { ...input, from: to, to: from });
}

test("20 agents edit 20 sketches while 20 view the project and its maps, and every operation of them is done [W4]", async () => {
  await using server = await twoDoors();
  const ann = await server.clientOf("ann", "socket");
  const project = { project: "p" };
  await done(ann, "create-project", { ...project, name: "p" });
  for (const map of ["m0", "m1"]) await done(ann, "create-map", { ...project, map, name: map });
  const places = Array.from({ length: 20 }, (_, number) => {
    return { ...project, map: `m${String(number % 2)}`, sketch: `s${String(number)}` };
  });
  for (const place of places) await done(ann, "create-sketch", { ...place, name: "s" });
  const agents = await Promise.all(
    Array.from({ length: 40 }, async () => ann.as(await ann.agents.register({ purpose: "works" }))),
  );
  const lock = async (client: Pick<Client, "execute">, paths: readonly RuledLock[]): Promise<void> => {
    const { outcome } = await client.execute("acquire-lock", { paths, ttl_seconds: 45 });
    assert.equal(outcome.kind, "done", JSON.stringify(outcome));
    assert.equal((outcome.data as JsonObject)["granted"], true);
  };
  const edit = async (client: Client, place: (typeof places)[number]): Promise<readonly string[]> => {
    const path = `project/p/map/${place.map}/sketch/${place.sketch}`;
    await lock(client, [{ path, mode: "write", scope: "self" }]);
    const codes: string[] = [];
    for (const change of puts(5))
      codes.push((await ask(client, "change-objects", { ...place, changes: [change] })).code);
    return codes;
  };
  const view = async (client: Client): Promise<readonly string[]> => {
    const paths = ["project/p", "project/p/map/m0", "project/p/map/m1"];
    await lock(
      client,
      paths.map((path) => ({ path, mode: "read", scope: "self" })),
    );
    const reads = [
      ["get-project", project],
      ["list-maps", project],
      ["get-map", { ...project, map: "m0" }],
      ["list-objects", { ...project, map: "m1" }],
    ] as const;
    return Promise.all(reads.map(async ([name, input]) => (await ask(client, name, input)).code));
  };
  const codes = await Promise.all(
    agents.map((client, number) => {
      const place = places[number];
      return place === undefined ? view(client) : edit(client, place);
    }),
  );
  assert.deepEqual([codes.flat().length, [...new Set(codes.flat())]], [180, ["done"]]);
  for (const [number, place] of places.entries()) {
    const { code, data } = await ask(agents[number] as Client, "list-objects", place);
    assert.deepEqual([code, (data["items"] as readonly unknown[]).length], ["done", 5]);
  }
});
