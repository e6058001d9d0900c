/** The workspace through the client and over HTTP, with tokens, by several principals, and after a restart. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { test } from "node:test";
import { HoldfastError } from "holdfast";
import type { Allowance, Client } from "holdfast";
import { filesServer } from "../files/files-server.ts";

const project = { project: "p1" };
const map = { ...project, map: "m1" };
const sketch = { ...map, sketch: "s1" };

/** Reads a tile through the client: its answer is a stream. */
async function tile(client: Client): Promise<void> {
  const input = { ...map, z: 0, x: 0, y: 0 };
  const { outcome } = await client.execute("workspace.get-tile", input, { acceptsStream: true });
  if (outcome.kind === "refusal") throw new HoldfastError("workspace.get-tile", outcome.code, { data: outcome.data });
}

const everything: readonly Allowance[] = [{ verbs: ["read", "write", "lock", "register"], under: "" }];
const take = { lock: "take" } as const;
async function codeOf(refused: Promise<unknown>): Promise<string> {
  const error = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof HoldfastError, String(error));
  return error.code;
}

/** A project of `ann` in which `bob` is a viewer. */
async function built(ann: Client): Promise<void> {
  const { workspace } = ann;
  const { revision } = await workspace.createProject({ ...project, name: "Main building", ...take });
  await workspace.setRole({ ...project, principal: "bob", role: "viewer", expectedRevision: revision, ...take });
  await workspace.createMap({ ...map, name: "Ground floor", ...take });
  await workspace.createSketch({ ...sketch, name: "Doors", ...take });
  const line = { shape: "line", points: [0, 0, 30, 40] } as const;
  const circle = { shape: "circle", points: [100, 100], radius: 5 } as const;
  const changes = [
    { op: "put", object: "o1", value: line },
    { op: "put", object: "o2", value: circle },
  ] as const;
  await workspace.changeObjects({ ...sketch, changes: [...changes], ...take });
}

test("effects of the client are read by another principal over HTTP, and after a restart [W4 W12]", async () => {
  await using first = await filesServer();
  await built(await first.clientOf("ann", everything));
  const secret = (await first.operator.tokens.create({ principal: "bob", allow: everything })).secret;
  let server = first;
  for (const round of ["before", "after the restart"]) {
    const get = async (path: string) => {
      const address = `${server.url}/v1/workspace/projects/p1${path}`;
      const response = await fetch(address, { headers: { authorization: `Bearer ${secret}` } });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    assert.equal((await get("")).status, 423, round);
    const read = await get("?lock=take");
    assert.deepEqual([read.status, read.body["name"], read.body["maps"]], [200, "Main building", 1], round);
    const objects = await get("/maps/m1/sketches/s1/objects?lock=take&limit=10");
    const items = objects.body["items"] as { object: string }[];
    assert.deepEqual(
      items.map(({ object }) => object),
      ["o1", "o2"],
      round,
    );
    const hit = await get("/maps/m1/sketches/s1/hit-test?x=103&y=100&lock=take");
    assert.deepEqual(
      (hit.body["items"] as { object: string }[]).map(({ object }) => object),
      ["o2"],
      round,
    );
    const response = await fetch(`${server.url}/v1/workspace/projects/p1/maps/m1?lock=take`, {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/merge-patch+json",
        "if-match": '"1.1"',
      },
      body: JSON.stringify({ name: "Renamed" }),
    });
    assert.equal(response.status, 403, "a viewer changes nothing");
    if (round === "before") server = await first.restarted();
  }
  await server[Symbol.asyncDispose]();
});

test("the index follows puts, merges, moves and deletions, and a selection has pages", async () => {
  await using server = await filesServer();
  const ann = await server.clientOf("ann", everything);
  await built(ann);
  const { workspace } = ann;
  const hits = async (x: number, y: number) =>
    (await workspace.hitTest({ ...sketch, x, y, tolerance: 1, ...take })).items.map(({ object, distance }) => [
      object,
      distance,
    ]);
  assert.deepEqual(await hits(15, 20), [["o1", 0]]);
  assert.deepEqual(await hits(500, 500), []);
  const changes = [
    { op: "merge", object: "o1", value: { points: [490, 500, 510, 500] } },
    { op: "put", object: "o3", value: { shape: "point", points: [500, 501] } },
    { op: "delete", object: "o2" },
  ] as const;
  await workspace.changeObjects({ ...sketch, changes: [...changes], ...take });
  assert.deepEqual(await hits(500, 500), [
    ["o1", 0],
    ["o3", 1],
  ]);
  assert.deepEqual(await hits(15, 20), []);
  const puts = Array.from({ length: 250 }, (_, index) => ({
    op: "put" as const,
    object: `n${String(index)}`,
    value: { shape: "point" as const, points: [index, 1_000] },
  }));
  await workspace.changeObjects({ ...sketch, changes: puts, ...take });
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const page = await workspace.selectObjects({
      ...{ ...sketch, box: [0, 990, 199, 1_010], mode: "inside", limit: 60, ...take },
      ...defined({ after }),
    });
    seen.push(...page.items.map(({ object }) => object));
    after = page.next ?? undefined;
  } while (after !== undefined);
  assert.deepEqual(
    seen,
    puts
      .slice(0, 200)
      .map(({ object }) => object)
      .sort(),
  );
});

test("the reads that need an index or a disk are refused without their lock, and done with it [W4 W12]", async () => {
  await using server = await filesServer();
  const ann = await server.clientOf("ann", everything);
  await built(ann);
  const viewer = ann.agent();
  const { workspace } = viewer;
  const reads = {
    "project/p1/map/m1/sketch/s1": [
      () => workspace.hitTest({ ...sketch, x: 1, y: 1 }),
      () => workspace.selectObjects({ ...sketch, box: [0, 0, 1, 1], mode: "touching" }),
      () => workspace.measure({ ...sketch, objects: ["o1"] }),
    ],
    // The lock is in order if the answer is about the files: the map has no tiles.
    "project/p1/map/m1": [() => tile(viewer)],
  };
  const outcome = async (read: () => Promise<unknown>) => {
    const code = await read().then(
      () => "done",
      (error: unknown) => (error as HoldfastError).code,
    );
    return code === "files.version_unknown" ? "done" : code;
  };
  for (const [path, all] of Object.entries(reads)) {
    for (const read of all) {
      assert.equal(await outcome(read), "workspace.lock_required", path);
      const locks = [
        [path.replace(/[^/]+$/u, "sister"), "write", "tree", "workspace.lock_required"],
        ["project/p1", "write", "self", "workspace.lock_required"],
        [path, "read", "self", "done"],
        [path, "write", "self", "done"],
        ["project/p1", "read", "tree", "done"],
      ] as const;
      for (const [held, mode, scope, expected] of locks) {
        await using _lock = await viewer.acquire(held, { mode, scope });
        assert.equal(await outcome(read), expected, `${path} under ${held} ${mode} ${scope}`);
      }
      assert.equal(await outcome(read), "workspace.lock_required", `${path} after the release`);
    }
  }
});

test("a token without the right to lock takes no lock for a write, and reads with a taken lock", async () => {
  await using server = await filesServer();
  await built(await server.clientOf("ann", everything));
  const bob = await server.clientOf("bob", [{ verbs: ["read", "write"], under: "project/p1" }]);
  assert.equal((await bob.workspace.getMap({ ...map, ...take })).name, "Ground floor");
  assert.equal(await codeOf(bob.workspace.updateMap({ ...map, changes: { name: "x" }, ...take })), "not_allowed");
  const eve = await server.clientOf("eve", [{ verbs: ["read"], under: "project/other" }]);
  assert.equal(await codeOf(eve.workspace.getMap({ ...map, ...take })), "not_allowed");
  assert.deepEqual((await eve.workspace.listProjects()).items, []);
});

test("an open map holds its read lock, and a job that needs the map gets its turn [W9]", async () => {
  await using server = await filesServer();
  const ann = await server.clientOf("ann", [{ verbs: ["read", "write", "lock", "register", "work"], under: "" }]);
  await built(ann);
  await using view = await ann.workspace.openMap("p1", "m1");
  const read = await ann.workspace.getMap({ ...map, fence: view.fence });
  assert.equal(read.name, "Ground floor");
  assert.match(view.tileAddress(2, 1, 3), /^\/v1\/workspace\/projects\/p1\/maps\/m1\/tiles\/2\/1\/3\?fence=/u);
  const tile = await server.request("GET", view.tileAddress(0, 0, 0));
  assert.equal(tile.status, 423, "the fence of another principal opens nothing");
  const ran = Promise.withResolvers<string>();
  const worker = await ann.agent().jobs.work("workspace.generate-tiles@main", async ({ id }) => {
    ran.resolve(id);
    return Promise.resolve({});
  });
  const { job } = await ann.workspace.generateTiles(map);
  assert.equal(await ran.promise, job);
  await worker.drain();
});
