/** Deletion with everything below, and a model of counts and parents. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../sdk/src/json/json.ts";
import { targetRoles } from "../../server/src/packs/workspace/target-roles.ts";
import { randomOf } from "../machine/sample-history.ts";
import { point, puts, smallWorkspace, take, WorkspaceDecider } from "./workspace-decider.ts";

const map = { project: "p1", map: "m1" };

function countOf(decider: WorkspaceDecider, prefix: string): number {
  return entities(decider).filter((subject) => subject.startsWith(prefix)).length;
}

/** The subjects of live records. */
function entities(decider: WorkspaceDecider): readonly string[] {
  const rows = [...decider.machine.dump()].filter(({ table }) => table === "entities").map(({ row }) => row);
  return (rows as { subject: string; value?: Json }[])
    .filter(({ value }) => value !== undefined)
    .map(({ subject }) => subject);
}

/** Runs one due command. */
function step(decider: WorkspaceDecider): readonly string[] {
  const [first] = decider.machine.due({ time: decider.time, grace: false, limit: 1 });
  if (first === undefined) return [];
  return decider.decide(first.operation, first.input as JsonObject, "holdfast").events.map(({ type }) => type);
}

test("a deleted sketch disappears at once, its objects are removed in entries of 200, and nothing changes there meanwhile", () => {
  const decider = smallWorkspace();
  const sketch = { ...map, sketch: "s1", ...take };
  decider.done("delete-sketch", sketch);
  assert.equal(countOf(decider, "workspace-object/p1/m1/s1/"), 1_001);
  const sizes: number[] = [];
  for (let left = 1_001; left > 0;) {
    const tries = [
      decider.write("create-sketch", { ...sketch, name: "again" }),
      decider.write("change-objects", { ...sketch, changes: [{ op: "delete", object: "o1" }] }),
      decider.read("list-objects", sketch),
    ];
    assert.deepEqual(new Set(tries.map(({ code }) => code)), new Set(["workspace.purging"]));
    assert.deepEqual((decider.read("list-objects", { ...map, ...take }).data["items"] as Json[]).length, 0);
    step(decider);
    const now = countOf(decider, "workspace-object/p1/m1/s1/");
    sizes.push(left - now);
    left = now;
  }
  assert.deepEqual(sizes, [200, 200, 200, 200, 200, 1]);
  decider.pass(1);
  decider.done("create-sketch", { ...sketch, name: "again" });
  assert.equal(decider.read("get-sketch", sketch).data["objects"], 0);
});

test("a deleted project leaves no record of it, and its id can be used again", () => {
  const decider = smallWorkspace();
  decider.done("set-role", { project: "p1", principal: "eve", role: "owner", ...take });
  const { data } = decider.done("request-approval", { project: "p1", action: "delete-project" });
  const approval = data["approval"] as string;
  decider.done("decide-approval", { project: "p1", approval, decision: "approve" }, { principal: "eve" });
  decider.done("delete-project", { project: "p1", approval, ...take });
  assert.equal(decider.write("create-project", { project: "p1", name: "x", ...take }).code, "workspace.purging");
  decider.pass(1);
  assert.deepEqual(entities(decider), ["workspace-template/floor"]);
  const left = [...decider.machine.dump()].filter(({ table }) => table.startsWith("workspace-"));
  assert.deepEqual(left, []);
  decider.done("create-project", { project: "p1", name: "x", ...take });
});

const session = { root: "main", root_id: "r", session: "s", node: "n" };
const mapPath = "project/p1/map/m1";

/** A workspace with a storage root, and an agent of `ann`. */
function publishing() {
  const decider = smallWorkspace();
  decider.decide("files.announce", session, "holdfast");
  return { decider, agent: decider.agent() };
}

type Publishing = ReturnType<typeof publishing>;

const lockOf = ({ decider, agent }: Publishing): string =>
  decider.lock(agent, [{ path: mapPath, mode: "write", scope: "tree" }]);

function opened({ decider, agent }: Publishing, target: string, fence: string): ReturnType<WorkspaceDecider["decide"]> {
  return decider.decide("files.open", { target, fence }, "ann", agent);
}

/** The commit of a publish whose files are on the disk. */
function committed({ decider, agent }: Publishing, id: string): string {
  const position = decider.entries.length + 1;
  const command = { id: `c${String(position)}`, operation: "files.commit", principal: "ann", agent, input: { id } };
  const evidence = { id, session: "s", sealed: { files: 1, bytes: 7, digest: "0".repeat(64) } };
  const place = { position, time: decider.time, grace: false, prior: undefined };
  const { entry, outcome } = decider.machine.decide({ ...command, evidence }, place);
  decider.machine.settle();
  if (entry !== undefined) decider.entries.push(entry);
  return outcome.kind === "refusal" ? outcome.code : "done";
}

function published(world: Publishing, target: string): void {
  const fence = lockOf(world);
  assert.equal(committed(world, opened(world, target, fence).data["id"] as string), "done");
  world.decider.unlock(world.agent, fence);
}

const targetsOf = ({ decider }: Publishing): readonly string[] =>
  [...decider.machine.dump()].filter(({ table }) => table === "file-targets").map(({ key }) => key);

test("a deleted map keeps the version that a reader has pinned until the pin ends, and its name stays in removal [W6]", () => {
  const world = publishing();
  const { decider, agent } = world;
  const targets = [`${mapPath}/tiles`, `${mapPath}/floorplan`, mapPath];
  const [pinned = ""] = targets;
  for (const target of targets) published(world, target);
  assert.equal(
    decider.decide("files.pin", { target: pinned, ttl_seconds: 60 }, "ann", agent).code,
    "files.lock_required",
  );
  const fence = lockOf(world);
  assert.equal(decider.decide("files.pin", { target: pinned, ttl_seconds: 60, fence }, "ann", agent).code, "done");
  decider.unlock(agent, fence);
  decider.done("delete-map", { ...map, ...take });
  decider.pass(30_000);
  assert.deepEqual(targetsOf(world), [pinned], "only the pinned target stays");
  assert.equal(countOf(decider, "workspace-object/p1/m1/"), 0, "records do not wait for it");
  assert.equal(decider.write("create-map", { ...map, name: "again", ...take }).code, "workspace.purging");
  const read = (caller: string | undefined): string | undefined => {
    const at = { state: decider.machine.durable, time: decider.time, grace: false, principal: "ann", agent: caller };
    return targetRoles[0]?.rule(at, { use: "read", target: pinned })?.code;
  };
  assert.deepEqual([read(agent), read(undefined)], [undefined, "workspace.purging"]);
  decider.pass(31_000);
  assert.deepEqual(targetsOf(world), []);
  decider.done("create-map", { ...map, name: "again", ...take });
});

test("a publish into a deleted map ends, and none begins until the map exists again [W6 W12]", () => {
  const world = publishing();
  const { decider, agent } = world;
  const fence = lockOf(world);
  const before = opened(world, `${mapPath}/tiles`, fence);
  const atMap = opened(world, mapPath, fence);
  decider.done("delete-map", map, { agent });
  assert.equal(opened(world, `${mapPath}/later`, fence).code, "workspace.purging");
  assert.equal(committed(world, before.data["id"] as string), "workspace.purging");
  decider.pass(1);
  for (const { data } of [before, atMap]) assert.equal(committed(world, data["id"] as string), "files.publish_unknown");
  assert.equal(opened(world, `${mapPath}/later`, fence).code, "workspace.parent_not_found");
  decider.done("create-map", { ...map, name: "again" }, { agent });
  assert.equal(opened(world, `${mapPath}/sketch/s1/image`, fence).code, "workspace.parent_not_found");
  assert.equal(committed(world, opened(world, `${mapPath}/tiles`, fence).data["id"] as string), "done");
  assert.deepEqual(targetsOf(world), [`${mapPath}/tiles`]);
});

test("a project is not created over files that were published at its path before", () => {
  const world = publishing();
  const { decider, agent } = world;
  const target = "project/other/map/m/tiles";
  const fence = decider.lock(agent, [{ path: "project/other", mode: "write", scope: "tree" }]);
  assert.equal(committed(world, opened(world, target, fence).data["id"] as string), "done");
  const create = () => decider.write("create-project", { project: "other", name: "x" }, { agent });
  assert.deepEqual([create().code, create().data], ["workspace.in_use", { target }]);
  assert.equal(decider.decide("files.delete", { target, fence }, "ann", agent).code, "done");
  assert.equal(create().code, "done");
});

test("after random commands every record has its parent, and every count is that of its children [W12]", () => {
  for (let seed = 1; seed <= 6; seed += 1) checkRandom(seed);
});

function checkRandom(seed: number): void {
  const below = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const decider = new WorkspaceDecider();
  const ids = ["a", "b"];
  let done = 0;
  for (let index = 0; index < 300; index += 1) {
    const place = { project: pick(ids), map: pick(ids), sketch: pick(ids) };
    const { project, map: mapId } = place;
    const ofMap = { project, map: mapId };
    const commands: readonly (readonly [string, JsonObject])[] = [
      ["create-project", { project, name: "x" }],
      ["create-map", { ...ofMap, name: "x" }],
      ["create-sketch", { ...place, name: "x" }],
      ["change-objects", { ...place, changes: puts(1 + below(150)) }],
      [
        "change-objects",
        {
          ...place,
          changes: [
            { op: "delete", object: "n1" },
            { op: "put", object: "n2", value: point },
          ],
        },
      ],
      [
        "reassign-objects",
        { project, from: { map: pick(ids), sketch: "a" }, to: { map: pick(ids), sketch: "b" }, objects: ["n1", "n3"] },
      ],
      ["delete-sketch", place],
      ["delete-map", ofMap],
    ];
    const [name, input] = pick(commands);
    if (decider.write(name, { ...input, ...take }).code === "done") done += 1;
    if (below(10) < 3) step(decider);
    assertConsistent(decider, `seed ${String(seed)}, command ${String(index)} ${name}`);
  }
  assert.ok(done > 40, `${String(done)} commands of seed ${String(seed)} were done`);
}

/** Parents of records that are not in removal exist, and counts equal the records. */
function assertConsistent(decider: WorkspaceDecider, label: string): void {
  const live = entities(decider);
  const rows = [...decider.machine.dump()];
  const removals = rows.filter(({ table }) => table === "workspace-purges").map(({ key }) => key);
  const counts = new Map<string, number>();
  for (const subject of live) {
    const [type = "", ...id] = subject.split("/");
    if (id.length < 2) continue;
    const parent = id.slice(0, -1).join("/");
    counts.set(parent, (counts.get(parent) ?? 0) + 1);
    const parentType = {
      "workspace-map": "workspace-project",
      "workspace-sketch": "workspace-map",
      "workspace-object": "workspace-sketch",
    }[type];
    const isInRemoval = removals.some((place) => id.join("/").startsWith(`${place}/`));
    assert.ok(isInRemoval || live.includes(`${parentType ?? ""}/${parent}`), `${label}: ${subject} has no parent`);
  }
  const counted = rows
    .filter(({ table }) => table === "workspace-children")
    .map(({ row }) => row as { place: string; children: number });
  assert.deepEqual(
    Object.fromEntries(counted.map(({ place, children }) => [place, children])),
    Object.fromEntries(counts),
    label,
  );
  assert.deepEqual(decider.holders(), [], label);
}
