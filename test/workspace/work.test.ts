/** The jobs of the workspace: their locks, and the writes of their workers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { workspaceJobTypes, workspaceRules } from "@holdfast/sdk/contract";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { point, puts, smallWorkspace, take } from "./workspace-decider.ts";
import type { WorkspaceDecider } from "./workspace-decider.ts";

const project = { project: "p1" };
const map = { ...project, map: "m1" };

const inputs: Readonly<Record<string, JsonObject>> = {
  "workspace.import-floorplan": { ...map, upload: "u1", path: "plan.png" },
  "workspace.generate-tiles": map,
  "workspace.export-map": map,
  "workspace.import-into-project": { ...project, upload: "u1", path: "a.geojson" },
  "workspace.recalculate-project": project,
  "workspace.backup-project": project,
  "workspace.restore-project": { ...project, backup: "ws-1" },
};

/** A worker that offers every job type of the workspace. */
function worker(decider: WorkspaceDecider): string {
  const agent = decider.agent("wes");
  const types = Object.values(workspaceJobTypes);
  const { code } = decider.decide("jobs.offer", { types, slots: 10 }, "wes", agent);
  assert.equal(code, "done");
  return agent;
}

/** The fence and the locks of a running job. */
function grantOf(decider: WorkspaceDecider, job: string) {
  const rows = [...decider.machine.dump()].filter(({ table }) => table === "lock-grants").map(({ row }) => row);
  const grants = rows as { fence: string; job?: string; paths: { path: string; mode: string; scope: string }[] }[];
  const found = grants.find((grant) => grant.job === job);
  assert.ok(found !== undefined, `the job ${job} holds no lock`);
  return found;
}

/** An approved restore. */
function approved(decider: WorkspaceDecider): string {
  const input = { ...project, action: "restore-project", parameters: { backup: "ws-1" } };
  const approval = decider.done("request-approval", input).data["approval"] as string;
  decider.done("decide-approval", { ...project, approval, decision: "approve" }, { principal: "operator" });
  return approval;
}

function submitted(decider: WorkspaceDecider, name: string, more: JsonObject = {}): string {
  return decider.done(name.slice("workspace.".length), { ...inputs[name], ...more }).data["job"] as string;
}

test("every job of the table runs under exactly the lock of its row [W4 W12]", () => {
  const rows = workspaceRules.filter(({ isJob }) => isJob === true);
  assert.deepEqual(rows.map(({ operation }) => operation).sort(), Object.keys(workspaceJobTypes).sort());
  for (const { operation, lock } of rows) {
    const decider = smallWorkspace();
    worker(decider);
    const more = operation === "workspace.restore-project" ? { approval: approved(decider) } : {};
    const { paths } = grantOf(decider, submitted(decider, operation, more));
    const path = lock?.level === "map" ? "project/p1/map/m1" : "project/p1";
    const own = paths.filter((each) => each.path.startsWith("project/"));
    assert.deepEqual(own, [{ path, mode: lock?.mode, scope: lock?.scope }], operation);
  }
});

test("a job whose lock another owner holds waits for it and names the holder [W9 W12]", () => {
  const decider = smallWorkspace();
  worker(decider);
  const agent = decider.agent();
  decider.lock(agent, [{ path: "project/p1/map/m1", mode: "read", scope: "self" }]);
  const { events } = decider.done("generate-tiles", map);
  const blocked = events.find(({ type }) => type === "jobs.blocked");
  assert.deepEqual(blocked?.data["holders"], [agent]);
});

interface ListedRecord {
  readonly type: string;
  readonly id: string;
}

const totals = { objects: 1, box: [3, 4, 3, 4], length: 0, area: 0 };

test("a worker writes with the fence of its job, and is refused without it, after the job, and with another job's [W12]", () => {
  const decider = smallWorkspace();
  const agent = worker(decider);
  const job = submitted(decider, "workspace.recalculate-project");
  const { fence } = grantOf(decider, job);
  const write = (name: string, input: JsonObject, by = agent) =>
    decider.trial(() => decider.write(name, input, { principal: "wes", agent: by })).code;
  assert.equal(write("set-totals", { ...map, totals, fence }), "done");
  assert.equal(write("change-objects", { ...map, sketch: "s2", changes: puts(200), fence }), "done");
  assert.equal(write("create-map", { ...project, map: "m9", name: "x", fence }), "done");
  // The same principal with another agent, and the same agent without the fence.
  assert.equal(write("set-totals", { ...map, totals, fence }, decider.agent("wes")), "workspace.job_required");
  assert.equal(write("change-objects", { ...map, sketch: "s2", changes: puts(1) }), "workspace.role_missing");
  assert.equal(write("set-totals", { ...map, totals, fence: "1.1" }), "workspace.job_required");
  assert.equal(write("begin-restore", { ...project, fence }), "done");
  // The lock of a map is not enough for the whole project.
  const tiles = smallWorkspace();
  const other = worker(tiles);
  const small = grantOf(tiles, submitted(tiles, "workspace.generate-tiles")).fence;
  const beyond = tiles.write("set-totals", { ...map, totals, fence: small }, { principal: "wes", agent: other });
  assert.equal(beyond.code, "workspace.job_required");
  const rows = [...decider.machine.dump()].filter(({ table }) => table === "jobs").map(({ row }) => row);
  const claim =
    (rows as { id: string; attemptRow?: { claim: string } }[]).find(({ id }) => id === job)?.attemptRow?.claim ?? "";
  assert.equal(decider.decide("jobs.complete", { id: job, claim }, "wes", agent).code, "done");
  assert.equal(write("set-totals", { ...map, totals, fence }), "workspace.job_required");
  assert.equal([...decider.machine.dump()].filter(({ table }) => table === "workspace-jobs").length, 0);
});

test("a job of the same type that a caller submitted itself gives its worker no rights [W12 W13]", () => {
  const decider = smallWorkspace();
  const agent = worker(decider);
  const locks = [{ path: "project/p1", mode: "write", scope: "tree" }];
  const direct = { type: "workspace.restore", id: "mine", payload: project, locks };
  assert.equal(decider.decide("jobs.submit", direct, "mallory").code, "done");
  const { fence } = grantOf(decider, "mine");
  const caller = { principal: "wes", agent };
  for (const [name, input] of [
    ["begin-restore", project],
    ["clear-records", project],
    ["set-totals", { ...map, totals }],
  ] as const)
    assert.equal(decider.write(name, { ...input, fence }, caller).code, "workspace.job_required", name);
  const changed = decider.write("change-objects", { ...map, sketch: "s2", changes: puts(1), fence }, caller);
  assert.equal(changed.code, "workspace.role_missing");
});

test("a restore replaces all records, can be repeated after every command, and no reader sees a part of it", () => {
  const decider = smallWorkspace();
  const agent = worker(decider);
  const caller = { principal: "wes", agent };
  const job = submitted(decider, "workspace.restore-project", { approval: approved(decider) });
  const { fence } = grantOf(decider, job);
  const run = (name: string, more: JsonObject = {}) => {
    const input = { ...project, ...more, fence };
    const first = decider.done(name, input, caller);
    if (name !== "end-restore") decider.done(name, input, caller);
    return first.data;
  };
  assert.equal(decider.write("clear-records", { ...project, fence }, caller).code, "workspace.job_required");
  run("begin-restore");
  const refusedMeanwhile = () => {
    const codes = [
      decider.read("get-project", { ...project, ...take }).code,
      decider.read("list-objects", { ...map, ...take }, { principal: "operator" }).code,
      decider.write("update-project", { ...project, changes: { name: "x" }, ...take }).code,
      decider.write("generate-tiles", map).code,
    ];
    assert.deepEqual(new Set(codes), new Set(["workspace.restoring"]));
  };
  for (;;) {
    refusedMeanwhile();
    if (run("clear-records")["is_empty"] === true) break;
  }
  const records = [
    { type: "workspace-map", id: "m7", value: { name: "Restored" } },
    { type: "workspace-sketch", id: "m7/s7", value: { name: "Restored" } },
    { type: "workspace-object", id: "m7/s7/o7", value: point },
  ];
  assert.equal(run("write-records", { records })["written"], 3);
  const orphan = [{ type: "workspace-object", id: "m8/s8/o8", value: point }];
  assert.equal(
    decider.write("write-records", { ...project, records: orphan, fence }, caller).code,
    "workspace.parent_not_found",
  );
  refusedMeanwhile();
  run("end-restore", { value: { name: "As it was", roles: { ann: "owner", bob: "editor" } } });
  const found = decider.read("get-project", { ...project, fence }, caller).data;
  assert.deepEqual([found["name"], found["maps"], found["roles"]], ["As it was", 1, { ann: "owner", bob: "editor" }]);
  const { data } = decider.read("list-records", { ...project, limit: 1_000, fence }, caller);
  const items = data["items"] as unknown as readonly ListedRecord[];
  assert.deepEqual(
    items.map(({ type, id }) => `${type} ${id}`),
    ["workspace-project ", "workspace-map m7", "workspace-sketch m7/s7", "workspace-object m7/s7/o7"],
  );
});

test("pages of all records have each record once, parents first", () => {
  const decider = smallWorkspace();
  const agent = worker(decider);
  const { fence } = grantOf(decider, submitted(decider, "workspace.backup-project"));
  const seen: string[] = [];
  let after: JsonObject = {};
  for (;;) {
    const input = { ...project, limit: 97, fence, ...after };
    const { code, data } = decider.read("list-records", input, { principal: "wes", agent });
    assert.equal(code, "done");
    seen.push(...(data["items"] as unknown as ListedRecord[]).map(({ type, id }) => `${type} ${id}`));
    if (data["next"] === null) break;
    after = { after: data["next"] as string };
  }
  assert.equal(seen.length, 1 + 2 + 4 + 1_001);
  assert.equal(new Set(seen).size, seen.length);
  const order = ["workspace-project", "workspace-map", "workspace-sketch", "workspace-object"];
  const types = seen.map((each) => order.indexOf(each.split(" ")[0] ?? ""));
  assert.deepEqual(
    types,
    types.toSorted((a, b) => a - b),
  );
});

/** A restore that has begun and that its worker ended as failed. */
function failedRestore(decider: WorkspaceDecider, agent: string): string {
  const caller = { principal: "wes", agent };
  const job = submitted(decider, "workspace.restore-project", { approval: approved(decider) });
  const { fence } = grantOf(decider, job);
  decider.done("begin-restore", { ...project, fence }, caller);
  const rows = [...decider.machine.dump()].filter(({ table }) => table === "jobs").map(({ row }) => row);
  const jobs = rows as { id: string; attemptRow?: { claim: string } }[];
  const claim = jobs.find(({ id }) => id === job)?.attemptRow?.claim ?? "";
  const failure = { id: job, claim, error: { message: "the disk is full" }, retry: false };
  assert.equal(decider.decide("jobs.fail", failure, "wes", agent).code, "done");
  return job;
}

test("a restore takes over from one that failed, and the failed one cannot continue during it [W12]", () => {
  const decider = smallWorkspace();
  const agent = worker(decider);
  const caller = { principal: "wes", agent };
  const failed = failedRestore(decider, agent);
  assert.equal(decider.read("get-project", { ...project, ...take }).code, "workspace.restoring");
  const next = submitted(decider, "workspace.restore-project", { approval: approved(decider) });
  const { fence } = grantOf(decider, next);
  decider.done("begin-restore", { ...project, fence }, caller);
  assert.equal(decider.decide("jobs.retry", { id: failed }, "operator").code, "done");
  decider.done("clear-records", { ...project, fence }, caller);
  decider.done("end-restore", { ...project, fence, value: { name: "As it was", roles: { ann: "owner" } } }, caller);
  assert.equal(decider.read("get-project", { ...project, fence }, caller).code, "done");
});

test("an approved deletion removes a project whose restore failed, so it is not closed forever [W12]", () => {
  const decider = smallWorkspace();
  failedRestore(decider, worker(decider));
  const { approval } = decider.done("request-approval", { ...project, action: "delete-project" }).data;
  const decision = { ...project, approval: approval ?? "", decision: "approve" };
  decider.done("decide-approval", decision, { principal: "operator" });
  const version = decider.projectsOf("ann");
  assert.deepEqual(version, [project]);
  const input = { ...project, approval: approval ?? "", expected_revision: "1.2", ...take };
  const { code, data } = decider.write("delete-project", input);
  assert.equal(code, "done", JSON.stringify(data));
  assert.deepEqual(decider.projectsOf("ann"), []);
});
