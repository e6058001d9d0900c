/** Changes and moves of objects: the limits of bulk work, and the question about the level. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { point, puts, smallWorkspace, take } from "./workspace-decider.ts";

const map = { project: "p1", map: "m1" };
const sketchPath = (name: string): string => `project/p1/map/m1/sketch/${name}`;
const decider = smallWorkspace();

/** The locks that a change lacks, as text. */
function lacking(changes: readonly JsonObject[], more: JsonObject = {}): readonly string[] {
  const { code, data } = decider.trial(() => decider.write("change-objects", { ...map, changes, ...more }));
  assert.equal(code, "workspace.lock_required", JSON.stringify(data).slice(0, 300));
  const { missing } = data as { readonly missing: readonly { path: string; mode: string; scope: string }[] };
  return missing.map(({ path, mode, scope }) => `${path} ${mode} ${scope}`);
}

test("100 objects need the lock of the sketch, 101 that of everything in it, and 1,001 that of the map [W12]", () => {
  const sketch = { sketch: "s2" };
  assert.deepEqual(lacking(puts(1), sketch), [`${sketchPath("s2")} write self`]);
  assert.deepEqual(lacking(puts(100), sketch), [`${sketchPath("s2")} write self`]);
  assert.deepEqual(lacking(puts(101), sketch), [`${sketchPath("s2")} write tree`]);
  assert.deepEqual(lacking(puts(1_000), sketch), [`${sketchPath("s2")} write tree`]);
  assert.deepEqual(lacking(puts(1_001), sketch), ["project/p1/map/m1 write tree"]);
  assert.equal(decider.write("change-objects", { ...map, ...sketch, changes: puts(2_001) }).code, "input_invalid");
});

test("an object that a command names twice counts once [W12]", () => {
  const twice = [...puts(100), ...puts(100)];
  assert.deepEqual(lacking(twice, { sketch: "s2" }), [`${sketchPath("s2")} write self`]);
});

test("the limits count each sketch for itself, and the map over all its sketches [W12]", () => {
  const level = { level: "sketch" };
  const two = (first: number, second: number) => [
    ...puts(first, "a", { sketch: "s1" }),
    ...puts(second, "b", { sketch: "s2" }),
  ];
  assert.deepEqual(lacking(two(100, 100), level), [`${sketchPath("s1")} write self`, `${sketchPath("s2")} write self`]);
  assert.deepEqual(lacking(two(101, 100), level), [`${sketchPath("s1")} write tree`, `${sketchPath("s2")} write self`]);
  assert.deepEqual(lacking(two(500, 500), level), [`${sketchPath("s1")} write tree`, `${sketchPath("s2")} write tree`]);
  assert.deepEqual(lacking(two(500, 501), level), ["project/p1/map/m1 write tree"]);
});

test("objects of several sketches without a level are refused with a question, and nothing changes [W4]", () => {
  const before = decider.records();
  const changes = [...puts(2, "a", { sketch: "s1" }), ...puts(1, "b", { sketch: "s2" })];
  const { code, data } = decider.trial(() => decider.write("change-objects", { ...map, changes, ...take }));
  assert.equal(code, "workspace.scope_ambiguous");
  assert.match(data["question"] as string, /3 objects lie in 2 sketches of the map m1.*Send level/u);
  assert.deepEqual(data["choices"], [{ level: "sketch" }, { level: "map" }]);
  assert.deepEqual(data["sketches"], [
    { sketch: "s1", objects: 2 },
    { sketch: "s2", objects: 1 },
  ]);
  assert.equal(decider.records(), before);
  for (const level of ["sketch", "map"]) {
    const answered = decider.trial(() => decider.write("change-objects", { ...map, changes, level, ...take }));
    assert.equal(answered.code, "done", level);
  }
  const of = (level: string) => lacking(changes, { level });
  assert.deepEqual(of("sketch"), [`${sketchPath("s1")} write self`, `${sketchPath("s2")} write self`]);
  assert.deepEqual(of("map"), ["project/p1/map/m1 write tree"]);
});

test("a command changes all its objects, or none", () => {
  const before = decider.records();
  const bad: readonly (readonly [JsonObject, string])[] = [
    [{ op: "merge", object: "absent", value: { points: [1, 2] } }, "entity_not_found"],
    [{ op: "put", object: "o1", value: point, expected_version: 7 }, "concurrency_mismatch"],
    [{ op: "put", object: "x", sketch: "absent", value: point }, "workspace.parent_not_found"],
    [{ op: "put", object: "x", value: { shape: "line", points: [1, 2, 1, 2] } }, "workspace.geometry_invalid"],
    [{ op: "put", object: "x", value: { shape: "circle", points: [1, 2] } }, "workspace.geometry_invalid"],
    [
      { op: "put", object: "x", value: { shape: "polygon", points: [0, 0, 1, 0, 1, 1, 0, 1] } },
      "workspace.geometry_invalid",
    ],
    [{ op: "put", object: "x", value: { shape: "point", points: [2e9, 0] } }, "input_invalid"],
  ];
  for (const [change, code] of bad) {
    const changes = [...puts(3), change];
    const input = { ...map, sketch: "s1", level: "map", changes, ...take };
    const result = decider.trial(() => ({ ...decider.write("change-objects", input), records: decider.records() }));
    assert.deepEqual([result.code, result.records], [code, before], code);
  }
});

test("moved objects keep their values, and both sketches record the move [W12]", () => {
  const [from, to] = [
    { map: "m1", sketch: "s1" },
    { map: "m2", sketch: "s2" },
  ];
  decider.trial(() => {
    const input = { project: "p1", from, to, objects: ["o1", "o2"], ...take };
    const { code, events } = decider.write("reassign-objects", input);
    assert.equal(code, "done");
    const moves = events.filter(({ type }) => type === "workspace.objects_moved");
    assert.deepEqual(
      moves.map(({ subject }) => subject),
      ["workspace-sketch/p1/m1/s1", "workspace-sketch/p1/m2/s2"],
    );
    const moved = events.filter(({ data }) => data["name"] === "moved").map(({ data }) => data["value"]);
    assert.deepEqual(moved, [point, point]);
    assert.equal(decider.write("reassign-objects", input).code, "entity_deleted");
    const same = decider.write("reassign-objects", { ...input, to: from });
    assert.equal(same.code, "input_invalid");
  });
});

test("20 agents edit 20 sketches of one project while 20 view its project and maps, and none is denied [W4]", () => {
  const crowd = smallWorkspace();
  const names = Array.from({ length: 20 }, (_, index) => `e${String(index)}`);
  for (const sketch of names) crowd.done("create-sketch", { ...map, sketch, name: sketch, ...take });
  const editors = names.map((sketch) => {
    const agent = crowd.agent();
    crowd.lock(agent, [{ path: sketchPath(sketch), mode: "write", scope: "self" }]);
    return { agent, sketch };
  });
  const viewers = names.map(() => {
    const agent = crowd.agent();
    const paths = ["project/p1", "project/p1/map/m1"];
    crowd.lock(
      agent,
      paths.map((path) => ({ path, mode: "read", scope: "self" })),
    );
    return agent;
  });
  for (let round = 0; round < 5; round += 1) {
    for (const { agent, sketch } of editors) {
      const changes = puts(20, `r${String(round)}-`);
      crowd.done("change-objects", { ...map, sketch, changes }, { agent });
    }
    for (const agent of viewers) {
      for (const [name, input] of [
        ["get-project", { project: "p1" }],
        ["list-maps", { project: "p1" }],
        ["list-sketches", map],
        ["get-map", map],
        ["list-objects", map],
      ] as const)
        assert.equal(crowd.read(name, input, { agent }).code, "done", name);
    }
  }
  assert.equal(crowd.read("get-sketch", { ...map, sketch: "e7", ...take }).code, "lock_denied");
});
