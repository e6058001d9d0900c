/** The commands of the workspace, as people and programs use them, on one server with a worker in this process. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { runWorkspaceJob, workspaceTypes } from "../../server/src/workers/workspace/run-workspace-job.ts";
import { withCliServer } from "../scenario/cli-terminal.ts";
import { encodePng } from "../workers/plain-png.ts";

const take = { lock: "take" } as const;

const operatorOf = (folder: string, url: string): Promise<Client> =>
  connect(url, { token: readFileSync(join(folder, ".holdfast", "operator-token"), "utf8").trim() });

/** A project with a map and a sketch. Its owner is the caller without a token. */
async function makeProject(url: string): Promise<void> {
  await using client = await connect(url);
  await client.run("workspace.create-project", { project: "p1", name: "Main\u001b[2J building", ...take });
  await client.run("workspace.create-map", { project: "p1", map: "m1", name: "Ground floor", ...take });
  const sketch = { project: "p1", map: "m1", sketch: "doors" };
  await client.run("workspace.create-sketch", { ...sketch, name: "Doors", ...take });
  const changes = [{ op: "put", object: "o1", value: { shape: "point", points: [1, 2] } }];
  await client.run("workspace.change-objects", { ...sketch, changes, ...take });
}

test(
  "`workspace projects` and `workspace project` show maps, sketches and unfinished jobs, and escape names",
  withCliServer(async ({ cli, cliJson, folder, url }) => {
    assert.match((await cli("workspace projects")).out, /^There is no project in which you have a role\.\n$/u);
    await makeProject(url);
    assert.equal((await cli("workspace projects")).out, "p1\n");
    const { items } = await cliJson("workspace projects");
    assert.deepEqual(items, [{ project: "p1" }]);
    const shown = (await cli("workspace project p1")).out;
    assert.match(shown, /^p1: Main\\x1b\[2J building\n {2}roles {2}\S+ \(owner\)\n/u);
    assert.match(shown, /^m1 +Ground floor +1 sketch\nm1\/doors +Doors +1 object\nIt has no unfinished jobs\.\n$/mu);
    // No worker runs, so the job waits.
    const requested = await cli("workspace export p1 m1");
    assert.match(
      requested.out,
      /^(ws-\d+) is ready\. Follow it: holdfast job \1 --watch\n.*fetch export\/p1\/m1\/\1 /u,
    );
    assert.match((await cli("workspace project p1")).out, /^ws-\d+ +workspace\.export-map +ready$/mu);
    const json = await cliJson("workspace project p1");
    const [jobs, sketches] = [json["jobs"], json["sketches"]] as [{ state: string }[], { objects: number }[]];
    assert.deepEqual([jobs.map(({ state }) => state), sketches[0]?.objects, json["more"]], [["ready"], 1, false]);
    assert.match((await cli("workspace project p1 --limit 1")).out, /more items exist/u);
    assert.match((await cli("workspace project nope")).err, /workspace\.get-project refused|entity_not_found/u);

    await using operator = await operatorOf(folder, url);
    const allow = [{ verbs: ["read"], under: "project/p1" }] as const;
    const { secret } = await operator.tokens.create({ principal: "ann", allow: [...allow] });
    const env = { HOLDFAST_URL: url, HOLDFAST_TOKEN: secret };
    const stranger = await cli("workspace project p1", { env });
    assert.deepEqual([stranger.code, stranger.out], [7, ""]);
    assert.match(stranger.err, /workspace\.role_missing/u);
    const { revision } = (await operator.run("workspace.get-project", { project: "p1", ...take })) as {
      revision: string;
    };
    await operator.run("workspace.set-role", {
      ...{ project: "p1", principal: "ann", role: "viewer", expected_revision: revision },
      ...take,
    });
    const viewer = await cli("workspace project p1", { env });
    assert.match(viewer.out, /m1\/doors[^]*Its jobs are not shown: the token has no right to read jobs\.\n$/u);

    await using lock = await operator.acquire({ path: "project/p1", mode: "write" });
    const blocked = await cli("workspace project p1");
    assert.equal(blocked.code, 120, blocked.err);
    assert.match(blocked.err, /lock_denied/u);
    await lock.release();
  }),
);

test(
  "an image is imported, tiled and exported by commands that follow their jobs to the end [W4 W6]",
  withCliServer(async ({ cli, cliJson, folder, url }) => {
    await makeProject(url);
    await using operator = await operatorOf(folder, url);
    const roots = (root: string): string | undefined => (root === "main" ? join(folder, ".holdfast/files") : undefined);
    await using _worker = await operator.jobs.work(workspaceTypes(true, ["main"]), (job) =>
      runWorkspaceJob(job, operator, roots),
    );
    const pixels = new Uint8Array(60 * 40 * 3).fill(9);
    writeFileSync(join(folder, "plan.png"), encodePng({ width: 60, height: 40, channels: 3, pixels }));
    const imported = await cli("workspace import p1 m1 plan.png --watch");
    assert.equal(imported.code, 0, imported.err);
    assert.match(imported.err, /^holdfast: ws-\d+ is (?:ready|running)\.$/mu);
    assert.match(imported.out, /is completed [^]*result +\{"version":1,"width":60,"height":40\}/u);
    const tiled = await cli("workspace tiles p1 m1 --tile-size 64 --watch --json");
    const last = JSON.parse(tiled.out.trim().split("\n").at(-1) ?? "") as { state: string; result: { tiles: number } };
    assert.deepEqual([tiled.code, last.state, last.result.tiles], [0, "completed", 1]);
    const { job } = await cliJson("workspace export p1 m1");
    assert.equal((await cli(["job", String(job), "--watch"])).code, 0);
    const exported = Buffer.from(await operator.files.read(`export/p1/m1/${String(job)}`, "map.geojson")).toString();
    assert.match(exported, /"o1"/u);

    writeFileSync(join(folder, "note.png"), "no image");
    const failed = await cli("workspace import p1 m1 note.png --watch");
    assert.equal(failed.code, 9);
    assert.match(failed.out, /is failed[^]*note\.png is not a PNG, JPEG, WebP or TIFF image/u);
    const uploads = async (): Promise<number> =>
      (await operator.files.listTargets({ under: "import/p1" })).items.length;
    assert.equal(await uploads(), 2);
    const refused = await cli("workspace import p1 nowhere plan.png");
    assert.equal(refused.code, 7, refused.err);
    assert.match(refused.err, /entity_not_found/u);
    assert.equal(await uploads(), 2, "the upload of a refused request is deleted");
    assert.match((await cli("workspace import p1 m1 gone.png")).err, /gone\.png cannot be read: ENOENT/u);
    assert.match((await cli("workspace import p1 m1 .holdfast")).err, /\.holdfast is not a file/u);
    assert.match((await cli("workspace tiles p1 m1 --tile-size 7")).err, /tile_size/u);
  }),
);

test(
  "a backup is restored only with the approval of a second person, and the requester is refused as the second [W4]",
  withCliServer(async ({ cli, cliJson, folder, url }) => {
    await makeProject(url);
    await using operator = await operatorOf(folder, url);
    await using _worker = await operator.jobs.work(workspaceTypes(false, ["main"]), (job) =>
      runWorkspaceJob(job, operator, () => undefined),
    );
    const backup = await cli("workspace backup p1 --watch");
    assert.equal(backup.code, 0, backup.err);
    const [, id = ""] = /request-approval p1 restore-project (ws-\d+)$/mu.exec(backup.err) ?? [];
    const objects = async (): Promise<number> => {
      const query = { project: "p1", map: "m1", sketch: "doors", ...take };
      return ((await operator.run("workspace.get-sketch", query)) as { objects: number }).objects;
    };
    await operator.run("workspace.change-objects", {
      ...{ project: "p1", map: "m1", sketch: "doors", changes: [{ op: "delete", object: "o1" }] },
      ...take,
    });
    assert.equal(await objects(), 0);

    const unapproved = await cli(`workspace restore p1 ${id}`);
    assert.equal(unapproved.code, 7);
    assert.match(unapproved.err, /workspace\.approval_required[^]*Another person than the requester must approve it/u);
    assert.equal((await cli("workspace approvals p1")).out, "The project has no approvals.\n");
    assert.match((await cli("workspace request-approval p1 sell")).err, /ACTION must be restore-project or delete/u);
    assert.match((await cli("workspace request-approval p1 restore-project")).err, /needs BACKUP/u);
    assert.match((await cli("workspace request-approval p1 delete-project x")).err, /unexpected argument "x"/u);
    const requested = await cli(`workspace request-approval p1 restore-project ${id}`);
    const [, approval = ""] =
      /^(a\d+) is requested\. Another person decides: holdfast workspace approve p1 \1\n$/u.exec(requested.out) ?? [];
    assert.notEqual(approval, "", requested.out);
    const listed = (await cli("workspace approvals p1")).out;
    assert.match(
      listed,
      new RegExp(`^${approval} +restore-project +requested +\\S+ +- +in .*\\{"backup":"${id}"\\}$`, "mu"),
    );

    // The caller without a token is the requester.
    const own = await cli(`workspace approve p1 ${approval}`, { env: { HOLDFAST_URL: url } });
    assert.deepEqual([own.code, /the requester cannot decide|not_allowed/u.test(own.err)], [7, true], own.err);
    const early = await cli(`workspace restore p1 ${id} --approval ${approval}`);
    assert.match(early.err, /workspace\.approval_invalid[^]*it is requested/u);
    const approved = await cli(["workspace", "approve", "p1", approval, "--note", "checked"]);
    assert.equal(approved.code, 0, approved.err);
    assert.match(
      approved.out,
      new RegExp(`^${approval} is approved: restore-project of p1, requested by \\S+\\. It is`, "u"),
    );
    const restored = await cli(`workspace restore p1 ${id} --approval ${approval} --watch`);
    assert.equal(restored.code, 0, restored.err + restored.out);
    assert.equal(await objects(), 1);
    const again = await cli(`workspace restore p1 ${id} --approval ${approval}`);
    assert.match(again.err, /workspace\.approval_invalid/u);

    const { approval: second } = await cliJson("workspace request-approval p1 delete-project");
    // The decision of an agent would be refused, so the agent of the environment is not sent.
    const env = { HOLDFAST_AGENT_ID: "someone" };
    const rejected = await cli(["workspace", "approve", "p1", String(second), "--reject"], { env });
    assert.match(rejected.out, new RegExp(`^${String(second)} is rejected: delete-project of p1`, "u"));
    assert.match((await cli("workspace approvals p1")).out, /delete-project +rejected +\S+ +operator/u);
  }),
);
