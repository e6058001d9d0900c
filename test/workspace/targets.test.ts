/** Roles, restores and deletions hold for the published files of a project. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HoldfastError } from "holdfast";
import type { Allowance, Client } from "holdfast";
import { filesServer } from "../files/files-server.ts";

const everything: readonly Allowance[] = [{ verbs: ["read", "write", "lock", "register"], under: "" }];
const take = { lock: "take" } as const;
const map = { project: "p1", map: "m1" };

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "done",
    (error: unknown) => (error instanceof HoldfastError ? error.code : String(error)),
  );

async function publish(client: Client, target: string): Promise<void> {
  await using publishing = await client.files.publish(target);
  await publishing.write("a.txt", "a");
  await publishing.commit();
}

test("only roles of a project publish and read its files, and the deletion of a map deletes its files [W12]", async () => {
  await using server = await filesServer();
  const ann = await server.clientOf("ann", everything);
  const [vic, eve] = [await server.clientOf("vic", everything), await server.clientOf("eve", everything)];
  await ann.workspace.createProject({ project: "p1", name: "Main building", ...take });
  await ann.workspace.setRole({ project: "p1", principal: "vic", role: "viewer", ...take });
  await ann.workspace.createMap({ ...map, name: "Ground floor", ...take });
  const target = "project/p1/map/m1/floorplan";
  assert.equal(await codeOf(publish(vic, target)), "workspace.role_missing", "a viewer");
  assert.equal(await codeOf(publish(eve, target)), "workspace.role_missing", "a stranger");
  assert.equal(await codeOf(publish(vic, "import/p1/u1")), "workspace.role_missing", "the upload of a viewer");
  assert.equal(await codeOf(publish(eve, "project/other/x")), "done", "no project of the workspace");
  await publish(ann, target);
  await publish(ann, "import/p1/u1");
  for (const [client, code] of [
    [vic, "done"],
    [eve, "workspace.role_missing"],
  ] as const) {
    const reader = client.agent();
    await using _lock = await reader.acquire("project/p1/map/m1", { mode: "read", scope: "self" });
    assert.equal(await codeOf(reader.files.get(target)), code);
  }
  const after = await server.operator.cursor();
  await ann.workspace.deleteMap({ ...map, ...take });
  for await (const _event of server.operator.watch({ names: ["evt.workspace.purged"], after })) break;
  assert.equal(await codeOf(server.operator.files.get(target)), "files.version_unknown");
  assert.equal(await codeOf(server.operator.files.get("import/p1/u1")), "done", "other files stay");
});
