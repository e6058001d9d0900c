/** A project of long shapes, in storage roots with quotas: it is imported, backed up and restored. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { requestRestore } from "./restored-project.ts";
import { workedServer } from "./worked-server.ts";

const take = { lock: "take" } as const;
const map = { project: "p", map: "m" } as const;

/** Lines with 2,500 points each: together more values and bytes than one command may have. */
function longLines(count: number): string {
  const lines = Array.from({ length: count }, (_none, index) => {
    const coordinates = Array.from({ length: 2_500 }, (_no, at) => [at + 0.123456789, index + at / 7]);
    return JSON.stringify({ type: "Feature", id: `o${String(index)}`, geometry: { type: "LineString", coordinates } });
  });
  return lines.join("\n");
}

test("a project of long shapes is imported, exported, backed up and restored within small quotas [W12]", async () => {
  await using worked = await workedServer();
  const { server, client, ask, upload, work } = worked;
  await ask("create-project", { project: "p", name: "House", ...take });
  await ask("create-map", { ...map, name: "Ground floor", ...take });
  await ask("set-role", { project: "p", principal: "ann", role: "owner", ...take });
  const ann = await server.clientOf("ann", [{ verbs: ["read", "write", "lock"], under: "project/p" }]);
  await upload("u1", "lines.ndjson", longLines(22));
  // A publish reserves the bytes that it has, and not a fixed part of the quota.
  const quota = 20_000_000;
  await server.operator.files.configure({ quotas: { backup: quota, export: quota, "project/p": quota } });

  const imported = await work("import-into-project", {
    project: "p",
    upload: "u1",
    path: "lines.ndjson",
    ...{ map: "m" },
  });
  assert.deepEqual([imported.state, imported.error], ["completed", undefined]);
  await using publish = await client.files.publish("project/p/map/m/notes", { bytesMax: 100 });
  await publish.write("a.txt", "first");
  await publish.commit();
  const objects = async (): Promise<readonly JsonObject[]> => {
    const items: JsonObject[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page: JsonObject = await ask("list-objects", {
        ...map,
        limit: 1_000,
        ...take,
        ...defined({ after }),
      });
      items.push(...(page["items"] as readonly JsonObject[]));
      after = page["next"] as string | null;
    }
    return items.map(({ object, points }) => ({ object: object ?? null, points: points ?? null }));
  };
  const before = await objects();
  assert.equal(before.length, 22);
  const exported = await work("export-map", map);
  assert.deepEqual([exported.state, exported.error], ["completed", undefined]);
  const saved = await work("backup-project", { project: "p" });
  assert.deepEqual([saved.state, saved.error], ["completed", undefined]);

  const changes = before.slice(0, 20).map(({ object }) => ({ op: "delete", object }));
  await ask("change-objects", { ...map, sketch: "import", changes: changes as readonly JsonObject[], ...take });
  const job = await requestRestore(server, ann, saved.id);
  const ended = (await client.jobs.wait(job)) as { readonly state: string; readonly error?: unknown };
  assert.deepEqual([ended.state, ended.error], ["completed", undefined]);
  assert.deepEqual(await objects(), before);
});
