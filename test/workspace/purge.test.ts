/** Deletion with everything below, and a model of counts and parents. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../sdk/src/json/json.ts";
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

test("a deleted sketch goes at once, its objects follow in entries of 200, and nothing happens there meanwhile", () => {
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
