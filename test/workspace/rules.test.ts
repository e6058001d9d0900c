/** For every row of the rule table: refused without its lock, and done with it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { workspace, workspaceRules, workspaceWorkRules } from "@holdfast/sdk/contract";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { workspacePackRules } from "../../server/src/packs/workspace/workspace.ts";
import { ruledRows, sisterOf } from "./ruled-rows.ts";
import type { RuledLock, RuledRow } from "./ruled-rows.ts";
import { smallWorkspace, take } from "./workspace-decider.ts";
import type { WorkspaceDecider } from "./workspace-decider.ts";

const project = { project: "p1" };

const waitingReads = ["get-tile", "hit-test", "select-objects", "measure"];
// The test of the doors has the reads that need a disk or an index.
const rows = ruledRows("p1").filter(({ name }) => !waitingReads.includes(name));

/** A workspace with an agent of `ann`, a role to remove and an approved deletion. */
function world(): { readonly decider: WorkspaceDecider; readonly agent: string; readonly approval: string } {
  const decider = smallWorkspace();
  decider.done("set-role", { ...project, principal: "eve", role: "manager", ...take });
  const { data } = decider.done("request-approval", { ...project, action: "delete-project" });
  const { approval } = data as { readonly approval: string };
  decider.done("decide-approval", { ...project, approval, decision: "approve" }, { principal: "eve" });
  return { decider, agent: decider.agent(), approval };
}

const { decider, agent, approval } = world();

/** Sends the operation of a row under some locks, by the locks of its agent or by their fence. */
function under(row: RuledRow, locks: readonly JsonObject[], by: "agent" | "fence" | "take" = "agent") {
  const { name, isRead } = row;
  const input = name === "delete-project" ? { ...row.input, approval } : row.input;
  const run = () => {
    const fence = locks.length === 0 ? undefined : decider.lock(agent, locks);
    const proof = by === "take" ? take : by === "fence" ? { fence: fence ?? "1.1" } : {};
    const caller = by === "fence" ? {} : { agent };
    const result = isRead
      ? decider.read(name, { ...input, ...proof }, caller)
      : decider.write(name, { ...input, ...proof }, caller);
    return { ...result, records: decider.records(), holders: decider.holders(), fence };
  };
  if (!isRead) return decider.trial(run);
  // A read needs a durable state, so its locks are released afterwards instead.
  const result = run();
  if (result.fence !== undefined) decider.unlock(agent, result.fence);
  return result;
}

const before = decider.records();

/** Refused with exactly the locks that are missing, and nothing changed. */
function assertRefused(row: RuledRow, result: ReturnType<typeof under>, why: string): void {
  const label = `${row.title}, ${why}`;
  assert.equal(result.code, "workspace.lock_required", label);
  assert.equal(result.records, before, label);
  const { missing } = result.data as { readonly missing: readonly RuledLock[] };
  const needed = new Set(row.locks.map(({ path, mode, scope }) => `${path} ${mode} ${scope}`));
  assert.ok(
    missing.length > 0 && missing.every((lock) => needed.has(`${lock.path} ${lock.mode} ${lock.scope}`)),
    label,
  );
}

function assertDone(row: RuledRow, result: ReturnType<typeof under>, why: string): void {
  assert.equal(result.code, "done", `${row.title}, ${why}: ${JSON.stringify(result.data).slice(0, 300)}`);
  if (!row.isRead) assert.notEqual(result.records, before, `${row.title}, ${why}`);
}

test("the table has a row for every operation, and every row is an operation [W4 W12]", () => {
  const named = new Set([...workspaceRules, ...workspaceWorkRules].map(({ operation }) => operation));
  assert.deepEqual([...named].sort(), workspace.operations.map(({ name }) => name).sort());
  assert.ok(rows.length >= 30, String(rows.length));
});

test("every operation is refused without its lock, and its refusal names the lock [W12]", () => {
  for (const row of rows) {
    const result = under(row, []);
    assertRefused(row, result, "without a lock");
    assert.equal((result.data["missing"] as JsonObject[]).length, row.locks.length, row.title);
  }
});

test("a weaker mode, the record alone, or the lock of a sibling does not allow an operation [W4 W12]", () => {
  for (const row of rows) {
    const changed = (change: JsonObject): readonly JsonObject[] => row.locks.map((lock) => ({ ...lock, ...change }));
    if (row.locks[0]?.mode === "write") {
      assertRefused(row, under(row, changed({ mode: "read" })), "with the weaker mode");
      assertRefused(row, under(row, changed({ mode: "upgradeable" })), "with an upgradeable lock");
    }
    if (row.locks[0]?.scope === "tree") assertRefused(row, under(row, changed({ scope: "self" })), "with self");
    const sisters = row.locks.map((lock) => ({ ...lock, path: sisterOf(lock.path), scope: "tree" }));
    assertRefused(row, under(row, sisters), "with the lock of a sibling");
    // A lock of one of two sketches is not enough.
    if (row.locks.length > 1) assertRefused(row, under(row, row.locks.slice(0, 1)), "with one of two locks");
  }
});

test("a fence whose lock has ended, or which another principal presents, does not allow an operation [W12]", () => {
  const fence = decider.lock(agent, [{ path: "project/p1", mode: "write", scope: "tree" }]);
  const stolen = { ...project, changes: { name: "Renamed" }, fence };
  assert.equal(decider.write("update-project", stolen, { principal: "eve" }).code, "workspace.lock_required");
  decider.unlock(agent, fence);
  for (const { name, isRead, input, title } of rows) {
    if (name === "create-project") continue;
    const sent = { ...input, fence };
    const result = isRead ? decider.read(name, sent) : decider.trial(() => decider.write(name, sent));
    assert.equal(result.code, "workspace.lock_required", title);
  }
});

test("an operation is done with exactly its lock, by the agent and by the fence [W4 W12]", () => {
  for (const row of rows) {
    assertDone(row, under(row, row.locks), "with exactly the lock");
    assertDone(row, under(row, row.locks, "fence"), "with the fence");
  }
});

test("an operation is done with a stronger lock above its record [W4 W12]", () => {
  for (const row of rows) {
    const path = row.name === "create-project" ? "project/p1-new" : "project/p1";
    assertDone(row, under(row, [{ path, mode: "write", scope: "tree" }]), "with a covering lock");
  }
});

test("a lock that a request takes is free after it, and is denied while another owner holds it [W4 W12]", () => {
  const other = decider.agent("bob");
  for (const row of rows) {
    const held = decider.holders();
    const result = under(row, [], "take");
    assertDone(row, result, "with a taken lock");
    assert.deepEqual(result.holders, held, row.title);
    const taken = { paths: row.locks.map(({ path }) => ({ path, mode: "write", scope: "self" })) };
    const { data } = decider.decide("acquire-lock", taken, "bob", other);
    const denied = under(row, [], "take");
    assert.deepEqual([denied.code, denied.records], ["lock_denied", before], row.title);
    decider.decide("release-lock", { fence: data["fence"] as string }, "bob", other);
  }
});

test("a refused write of an agent is in the audit trail, and one of a person without an agent is not [W13]", () => {
  for (const row of rows.filter(({ isRead }) => !isRead)) {
    const recorded = decider.trial(() => {
      const { length } = decider.entries;
      decider.write(row.name, row.input, { agent });
      const ofAgent = decider.entries.length - length;
      decider.write(row.name, row.input);
      return [ofAgent, decider.entries.length - length];
    });
    assert.deepEqual(recorded, [1, 1], row.title);
  }
});

test("the general operations on entities write no record, and read one only under the lock of its rule [W12 W13]", () => {
  const records = [
    ["workspace-project", "p1", { path: "project/p1" }],
    ["workspace-map", "p1/m1", { path: "project/p1/map/m1" }],
    ["workspace-sketch", "p1/m1/s1", { path: "project/p1/map/m1/sketch/s1" }],
    ["workspace-object", "p1/m1/s1/o1", { path: "project/p1/map/m1/sketch/s1" }],
    ["workspace-approval", `p1/${approval}`, { path: "project/p1" }],
  ] as const;
  for (const [type, id, { path }] of records) {
    const kind = workspacePackRules.kinds.find((each) => each.type === type);
    const read = (reader?: string, whose?: string) =>
      kind?.readRule?.(
        { state: decider.machine.durable, time: decider.time, grace: false, principal: "ann", agent: reader },
        whose,
      )?.code;
    assert.equal(read(undefined, undefined), "list_closed", type);
    assert.equal(read(agent, id), "lock_required", type);
    const fence = decider.lock(agent, [{ path, mode: "read", scope: "self" }]);
    assert.equal(read(agent, id), undefined, type);
    decider.unlock(agent, fence);
    const locks = [{ path: "project/p1", mode: "write", scope: "tree" }];
    const { codes, recorded } = decider.trial(() => {
      decider.lock(agent, locks);
      const { length } = decider.entries;
      const general = [
        ["replace-entity", { type, id, value: {} }],
        ["patch-entity", { type, id, merge: { name: "x" } }],
        ["delete-entity", { type, id }],
        ["create-entity", { type, id: `${id}x`, value: {} }],
      ] as const;
      const sent = general.map(([operation, input]) => decider.decide(operation, input, "ann", agent).code);
      return { codes: sent, recorded: decider.entries.length - length };
    });
    assert.equal(recorded, codes.length, `the refusals of ${type} are audited`);
    assert.deepEqual(new Set(codes), new Set(["workspace.own_operations"]), type);
  }
});
