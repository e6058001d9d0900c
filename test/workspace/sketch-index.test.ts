/** The spatial index of sketches: it is evicted, loaded again and rebuilt, and always has the objects of the state. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SketchIndex } from "../../server/src/app/packs/workspace/sketch-index.ts";
import type { Machine } from "../../server/src/machine/machine.ts";
import { puts, take, WorkspaceDecider } from "./workspace-decider.ts";

type IndexedEngine = ConstructorParameters<typeof SketchIndex>[0];

const everywhere = { minX: -1e9, minY: -1e9, maxX: 1e9, maxY: 1e9 };

function world(): WorkspaceDecider {
  const decider = new WorkspaceDecider();
  decider.done("create-project", { project: "p", name: "p", ...take });
  decider.done("create-map", { project: "p", map: "m", name: "m", ...take });
  for (const sketch of ["a", "b", "c"]) {
    decider.done("create-sketch", { project: "p", map: "m", sketch, name: sketch, ...take });
    decider.done("change-objects", { project: "p", map: "m", sketch, changes: puts(40, sketch), ...take });
  }
  return decider;
}

/** The parts of an engine that an index uses. Entries before `oldest` have left the memory. */
function engineOf(decider: WorkspaceDecider, oldest: () => number): IndexedEngine & { scans: number } {
  const engine = {
    scans: 0,
    get head() {
      return { position: decider.entries.length, hash: "" };
    },
    recentEntry: (position: number) => (position < oldest() ? undefined : decider.entries[position - 1]),
    scan: <Result>(read: (state: Machine["durable"]) => Result) => {
      engine.scans += 1;
      return Promise.resolve(read(decider.machine.durable));
    },
  };
  return engine as unknown as IndexedEngine & { scans: number };
}

test("the sketch that was used least recently leaves the memory, and is loaded again with its newest objects", async () => {
  const decider = world();
  const engine = engineOf(decider, () => 0);
  const index = new SketchIndex(engine, 100);
  const find = async (sketch: string): Promise<number> => {
    const id = `p/m/${sketch}`;
    if (index.boxesOf(decider.machine.durable, id) === undefined) await index.load(id);
    return index.boxesOf(decider.machine.durable, id)?.search(everywhere).length ?? 0;
  };
  assert.deepEqual([await find("a"), await find("b"), await find("a"), engine.scans], [40, 40, 40, 2]);
  // Three sketches are more than 100 objects: `b` was used before `a`.
  assert.deepEqual([await find("c"), await find("a"), engine.scans], [40, 40, 3]);
  decider.done("change-objects", { project: "p", map: "m", sketch: "b", changes: puts(3, "new"), ...take });
  decider.done("change-objects", {
    ...{ project: "p", map: "m", sketch: "a", ...take },
    changes: [{ op: "delete", object: "a1" }],
  });
  assert.deepEqual([await find("b"), engine.scans], [43, 4], "it was evicted, and has the new objects");
  assert.deepEqual([await find("a"), engine.scans], [39, 4], "it stayed, and follows the entries");
  assert.deepEqual([await find("c"), engine.scans], [40, 5]);
});

test("an index whose entries have left the memory, or whose journal went back, is loaded again", async () => {
  const decider = world();
  let oldest = 0;
  const index = new SketchIndex(engineOf(decider, () => oldest));
  const tree = () => index.boxesOf(decider.machine.durable, "p/m/a");
  await index.load("p/m/a");
  decider.done("change-objects", { project: "p", map: "m", sketch: "a", changes: puts(1, "new"), ...take });
  oldest = decider.entries.length + 1;
  assert.equal(tree(), undefined);
  await index.load("p/m/a");
  assert.equal(tree()?.search(everywhere).length, 41);
  decider.entries.length -= 1;
  assert.equal(tree(), undefined);
});
