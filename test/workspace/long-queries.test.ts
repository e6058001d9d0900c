/** Queries over shapes with thousands of points: one of them must not hold up the server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HoldfastError } from "holdfast";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { filesServer } from "../files/files-server.ts";
import type { FilesServer } from "../files/files-server.ts";

const sketch = { project: "p", map: "m", sketch: "s" } as const;
const take = { lock: "take" } as const;

let server: FilesServer;

async function ask(operation: string, input: JsonObject): Promise<JsonObject> {
  return (await server.operator.run(`workspace.${operation}`, { ...input, ...take })) as JsonObject;
}

async function put(prefix: string, count: number, value: JsonObject): Promise<void> {
  const atOnce = 9;
  for (let first = 0; first < count; first += atOnce) {
    const ids = Array.from({ length: Math.min(atOnce, count - first) }, (_none, index) => String(first + index));
    const changes = ids.map((id) => ({ op: "put", object: `${prefix}${id}`, value }));
    await ask("change-objects", { ...sketch, changes });
  }
}

/** A closed ring of `count` points with teeth, from x = 0 to x = `depth`. Its ends lie beyond those of others by `far`. */
function comb(count: number, depth: number, far = 0): readonly number[] {
  const teeth = Array.from({ length: count - 4 }, (_none, index) => {
    return [depth - (index % 2 === 0 ? 10 : 0), (index * 4_900) / count];
  });
  return [0, 0 - far, ...teeth.flat(), 0, 5_000 + far * 10, 0, 0 - far];
}

function reasonOf({ data }: HoldfastError): string {
  return (data as { readonly reason: string }).reason;
}

before(async () => {
  server = await filesServer();
  await ask("create-project", { project: "p", name: "p" });
  await ask("create-map", { project: "p", map: "m", name: "m" });
  await ask("create-sketch", { ...sketch, name: "s" });
  await put("comb", 5, { shape: "polygon", points: comb(5_000, 80) });
});

after(() => server[Symbol.asyncDispose]());

test("a selection with the longest area compares few of the longest shapes in a page, and all pages find each once", async () => {
  const polygon = comb(998, 100, 10);
  for (const mode of ["inside", "touching"]) {
    const found: JsonObject[] = [];
    let pages = 0;
    for (let next: string | null = ""; next !== null;) {
      const start: JsonObject = next === "" ? {} : { after: next };
      const page = (await ask("select-objects", { ...sketch, polygon, mode, ...start })) as {
        items: readonly JsonObject[];
        next: string | null;
      };
      found.push(...page.items);
      pages += 1;
      next = page.next;
    }
    assert.deepEqual(
      found.map(({ object }) => object),
      ["comb0", "comb1", "comb2", "comb3", "comb4"],
      mode,
    );
    assert.equal(pages, 5, mode);
  }
});

test("a measurement of too many long outlines is refused with the next step, and one of fewer is made", async () => {
  const objects = ["comb0", "comb1", "comb2", "comb3", "comb4"];
  await assert.rejects(ask("measure", { ...sketch, objects }), (error) => {
    assert.ok(error instanceof HoldfastError);
    assert.equal(error.code, "workspace.geometry_invalid");
    assert.match(reasonOf(error), /send fewer than 5 objects/u);
    return true;
  });
  const { objects: measured } = (await ask("measure", { ...sketch, objects: objects.slice(1) })) as {
    objects: readonly JsonObject[];
  };
  assert.deepEqual(
    measured.map(({ crosses_itself: crosses }) => crosses),
    [false, false, false, false],
  );
});

test("a hit-test whose tolerance reaches a million coordinates is refused, and a smaller one finds the nearest", async () => {
  // The lines are far from the other shapes.
  const points = Array.from({ length: 10_000 }, (_none, index) => (index % 2 === 0 ? -5_000 : 1 + (index % 9)));
  await put("line", 101, { shape: "line", points });
  await assert.rejects(ask("hit-test", { ...sketch, x: -5_000, y: 0, tolerance: 100 }), (error) => {
    assert.ok(error instanceof HoldfastError);
    assert.equal(error.code, "workspace.geometry_invalid");
    assert.match(reasonOf(error), /1010000 coordinates.*send a smaller one/u);
    return true;
  });
  const { items } = (await ask("hit-test", { ...sketch, x: 5, y: 100, tolerance: 1, limit: 1 })) as {
    items: readonly JsonObject[];
  };
  assert.deepEqual(
    items.map(({ object, distance }) => [object, distance]),
    [["comb0", 0]],
  );
});
