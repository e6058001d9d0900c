/** The jobs of the workspace on a real server: floorplans and tiles, imports, exports, totals, backups and restores. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { decodePng, encodePng } from "./plain-png.ts";
import { workedServer } from "./worked-server.ts";
import type { WorkedServer } from "./worked-server.ts";

const take = { lock: "take" } as const;
const map = { project: "p", map: "m" } as const;

async function newMap({ ask }: WorkedServer): Promise<void> {
  await ask("create-project", { project: "p", name: "House", ...take });
  await ask("create-map", { ...map, name: "Ground floor", ...take });
}

async function objectsOf({ ask }: WorkedServer): Promise<readonly JsonObject[]> {
  const { items } = await ask("list-objects", { ...map, limit: 1_000, ...take });
  return (items as readonly JsonObject[]).map(({ sketch, object, shape, points, properties }) => ({
    ...{ sketch, object, shape, points },
    ...defined({ properties }),
  })) as readonly JsonObject[];
}

test("an uploaded image becomes the floorplan and its tiles, and a viewer reads a tile over HTTP [W4 W6]", async () => {
  await using worked = await workedServer();
  const { server, client, work, upload } = worked;
  await newMap(worked);
  const [width, height] = [300, 200];
  const pixels = Uint8Array.from({ length: width * height * 3 }, (_none, index) => (index * 7) % 251);
  await upload("u1", "plan.png", encodePng({ width, height, channels: 3, pixels }));
  const imported = await work("import-floorplan", { ...map, upload: "u1", path: "plan.png", tiles: true });
  assert.deepEqual([imported.state, imported.error], ["completed", undefined]);
  assert.deepEqual(imported.result, { version: 1, width, height, tiles: 3 });
  const again = await work("generate-tiles", { ...map, tile_size: 128 });
  assert.equal((again.result as JsonObject)["tiles"], 9);
  await using lock = await client.acquire({ path: "project/p/map/m", mode: "read" });
  const { meta } = await client.files.get("project/p/map/m/tiles");
  assert.deepEqual(meta, { width, height, levels: 3, tiles: 9, tile_size: 128, floorplan: 1 });
  const answer = await server.request(
    "GET",
    `/v1/workspace/projects/p/maps/m/tiles/2/1/0?version=1&fence=${lock.fence}`,
  );
  assert.equal(answer.status, 404, "the first version has two levels");
  const shown = await server.request("GET", `/v1/workspace/projects/p/maps/m/tiles/2/1/0?fence=${lock.fence}`);
  assert.deepEqual([shown.status, shown.headers.get("content-type")], [200, "image/png"]);
  const tile = decodePng(Buffer.from(await shown.arrayBuffer()));
  const found = [0, 1, 2].map((channel) => tile.pixels[(5 * 128 + 9) * tile.channels + channel]);
  const expected = [0, 1, 2].map((channel) => pixels[(5 * width + 128 + 9) * 3 + channel]);
  assert.deepEqual(found, expected);
});

test("a hostile upload fails its job at once with the reason, and publishes nothing", async () => {
  await using worked = await workedServer();
  const { client, work, upload } = worked;
  await newMap(worked);
  const whole = encodePng({ width: 90, height: 90, channels: 3, pixels: new Uint8Array(90 * 90 * 3).fill(9) });
  const hostile = [
    ["svg.png", "<svg xmlns='http://www.w3.org/2000/svg'/>", /svg.png is not a PNG, JPEG, WebP or TIFF image/u],
    ["named.jpg", whole, /named.jpg contains a png image/u],
    ["half.png", whole.subarray(0, whole.length - 40), /./u],
  ] as const;
  for (const [path, content, reason] of hostile) {
    await upload("u1", path, content);
    const { state, error } = await work("import-floorplan", { ...map, upload: "u1", path });
    assert.equal(state, "failed", path);
    assert.match(error ?? "", reason);
  }
  const { items } = await client.files.listTargets({ under: "project/p" });
  assert.deepEqual(items, []);
});

/** Two pixels are one metre. */
const points = [
  { x: 0, y: 0, u: 0, v: 0 },
  { x: 10, y: 0, u: 5, v: 0 },
];

const feature = (id: string | undefined, coordinates: readonly number[], properties: JsonObject = {}): string =>
  JSON.stringify({ type: "Feature", id, geometry: { type: "Point", coordinates }, properties });

test("objects are imported from GeoJSON and from lines, exported in units, counted, backed up and restored [W12]", async () => {
  await using worked = await workedServer();
  const { server, client, ask, work, upload } = worked;
  await newMap(worked);
  const lines = Array.from({ length: 450 }, (_none, index) => feature(undefined, [index, 2 * index], { map: "m" }));
  await upload("u1", "doors.ndjson", [...lines, lines[0], ""].join("\n"));
  assert.deepEqual((await work("import-into-project", { project: "p", upload: "u1", path: "doors.ndjson" })).result, {
    objects: 451,
  });
  assert.equal((await objectsOf(worked)).length, 450, "the same line twice is the same object");
  const ring = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]; // oxfmt-ignore
  const room = {
    type: "Feature",
    id: "room",
    geometry: { type: "Polygon", coordinates: [ring] },
    properties: { n: 1 },
  };
  await upload("u2", "rooms.geojson", JSON.stringify({ type: "FeatureCollection", features: [room] }));
  const rooms = { project: "p", upload: "u2", path: "rooms.geojson", map: "m", sketch: "rooms" };
  assert.equal((await work("import-into-project", rooms)).state, "completed");
  await upload("u3", "bad.ndjson", `${feature("a", [1, 1])}\n{"type":"Feature"}\n`);
  const bad = await work("import-into-project", { project: "p", upload: "u3", path: "bad.ndjson" });
  assert.deepEqual(
    [bad.state, (bad.error ?? "").includes("feature 2 has the geometry null")],
    ["failed", true],
    bad.error,
  );

  const { revision } = await ask("get-map", { ...map, ...take });
  await ask("calibrate-map", { ...map, points, unit: "m", expected_revision: revision as string, ...take });
  assert.deepEqual((await work("recalculate-project", { project: "p" })).state, "completed");
  const sketch = await ask("get-sketch", { ...map, sketch: "rooms", ...take });
  assert.deepEqual(sketch["totals"], { objects: 1, box: [0, 0, 10, 10], length: 0, area: 25 });
  const exported = await work("export-map", { ...map });
  assert.deepEqual([exported.state, exported.error], ["completed", undefined]);
  const { target } = exported.result as { target: string };
  const text = Buffer.from(await client.files.read(target, "map.geojson")).toString();
  const { features } = JSON.parse(text) as { features: readonly { id: string; geometry: JsonObject }[] };
  assert.equal(features.length, 451);
  assert.deepEqual(features.find(({ id }) => id === "room")?.geometry["coordinates"], [
    ring.map(([x = 0, y = 0]) => [x / 2, y / 2]),
  ]);

  const before = await objectsOf(worked);
  const saved = await work("backup-project", { project: "p" });
  assert.deepEqual([saved.state, saved.error], ["completed", undefined]);
  await ask("change-objects", { ...map, sketch: "rooms", changes: [{ op: "delete", object: "room" }], ...take });
  await ask("create-map", { project: "p", map: "later", name: "Later", ...take });
  const ann = await server.clientOf("ann", [{ verbs: ["read", "write", "lock"], under: "project/p" }]);
  await ask("set-role", { project: "p", principal: "ann", role: "owner", ...take });
  const asAnn = async (operation: string, input: JsonObject): Promise<JsonObject> =>
    (await ann.run(`workspace.${operation}`, input)) as JsonObject;
  const parameters = { backup: saved.id };
  const requested = await asAnn("request-approval", { project: "p", action: "restore-project", parameters });
  const approval = requested["approval"] as string;
  const decided = await server.request("POST", `/v1/workspace/projects/p/approvals/${approval}/decide`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ decision: "approve" }),
  });
  assert.equal(decided.status, 200, await decided.text());
  const { job } = await asAnn("restore-project", { project: "p", backup: saved.id, approval });
  const ended = await client.jobs.wait(job as string);
  assert.deepEqual([ended.state, (ended as { error?: unknown }).error], ["completed", undefined]);
  assert.deepEqual(await objectsOf(worked), before);
  const maps = (await ask("list-maps", { project: "p", ...take }))["items"] as readonly JsonObject[];
  assert.deepEqual(
    maps.map((each) => each["map"]),
    ["m"],
  );
});
