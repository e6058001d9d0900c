/** Approvals by a second person, and roles. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { smallWorkspace, take } from "./workspace-decider.ts";
import type { WorkspaceDecider } from "./workspace-decider.ts";

const project = { project: "p1" };
const day = 24 * 60 * 60 * 1_000;

/** A workspace of `ann` in which `eve` is a manager and `bob` an editor. */
function team(): WorkspaceDecider {
  const decider = smallWorkspace();
  for (const [principal, role] of [
    ["eve", "manager"],
    ["bob", "editor"],
    ["vic", "viewer"],
  ])
    decider.done("set-role", { ...project, principal, role, ...take } as JsonObject);
  return decider;
}

const decider = team();

function requested(action = "delete-project", parameters: JsonObject = {}): string {
  return decider.done("request-approval", { ...project, action, parameters }).data["approval"] as string;
}

const decide = (approval: string, principal: string, agent?: string) =>
  decider.write(
    "decide-approval",
    { ...project, approval, decision: "approve" },
    agent === undefined ? { principal } : { principal, agent },
  );
const remove = (approval?: string) =>
  decider.write("delete-project", { ...project, ...take, ...defined({ approval }) });

test("a destructive action without an approval is refused with the question for a person [W4 W13]", () => {
  const { code, data } = decider.trial(() => remove());
  assert.equal(code, "workspace.approval_required");
  assert.match(data["question"] as string, /Another person than the requester must approve it/u);
  const input = { ...project, action: "delete-project", parameters: {} };
  assert.deepEqual(data["choices"], [{ operation: "workspace.request-approval", input }]);
});

test("the requester, an editor, a stranger and an agent cannot decide, and the attempt of the agent is audited [W13]", () => {
  decider.trial(() => {
    const approval = requested();
    assert.equal(decide(approval, "ann").code, "workspace.approval_invalid");
    assert.equal(decide(approval, "bob").code, "workspace.role_missing");
    assert.equal(decide(approval, "mallory").code, "workspace.role_missing");
    const agent = decider.agent("eve");
    const { length } = decider.entries;
    assert.equal(decide(approval, "eve", agent).code, "not_allowed");
    assert.equal(decider.entries.length, length + 1, "the refusal is recorded");
    assert.equal(remove(approval).code, "workspace.approval_invalid");
    assert.equal(decide(approval, "operator").code, "done");
  });
});

test("the operator is a second person, unless the operator made the request", () => {
  decider.trial(() => {
    const input = { ...project, action: "delete-project" };
    const approval = decider.done("request-approval", input, { principal: "operator" }).data["approval"] as string;
    assert.equal(decide(approval, "operator").code, "workspace.approval_invalid");
    assert.equal(decide(approval, "ann").code, "done");
  });
});

test("an approval is valid once, for a day, for one action with exactly its parameters", () => {
  decider.trial(() => {
    const restore = requested("restore-project", { backup: "ws-1" });
    decide(restore, "eve");
    assert.match(remove(restore).data["reason"] as string, /it is for restore-project/u);
    const other = decider.write("restore-project", { ...project, backup: "ws-2", approval: restore });
    assert.match(other.data["reason"] as string, /other parameters/u);
    assert.equal(decider.write("restore-project", { ...project, backup: "ws-1", approval: restore }).code, "done");
    const again = decider.write("restore-project", { ...project, backup: "ws-1", approval: restore });
    assert.match(again.data["reason"] as string, /it is used/u);
  });
  decider.trial(() => {
    const approval = requested();
    decide(approval, "eve");
    decider.time += day;
    assert.match(remove(approval).data["reason"] as string, /older than a day/u);
  });
  decider.trial(() => {
    const approval = requested();
    decider.time += day - 1;
    assert.equal(decide(approval, "eve").code, "done");
    decider.time += day - 1;
    assert.equal(remove(approval).code, "done");
  });
  decider.trial(() => {
    const approval = requested();
    decider.time += day;
    assert.match(decide(approval, "eve").data["reason"] as string, /older than a day/u);
  });
});

test("a rejected approval allows nothing, and a decision cannot be changed", () => {
  decider.trial(() => {
    const approval = requested();
    decider.done("decide-approval", { ...project, approval, decision: "reject", note: "no" }, { principal: "eve" });
    assert.match(remove(approval).data["reason"] as string, /it is rejected/u);
    assert.equal(decide(approval, "eve").code, "workspace.approval_invalid");
  });
});

test("each role does exactly what the table says, and the last owner stays [W4]", () => {
  const map = { ...project, map: "m1" };
  const sketch = { ...map, sketch: "s1" };
  const change = { changes: { name: "Renamed" }, ...take };
  const tries: readonly (readonly [string, JsonObject, string])[] = [
    ["update-sketch", { ...sketch, ...change }, "editor"],
    ["update-map", { ...map, ...change }, "manager"],
    ["update-project", { ...project, ...change }, "manager"],
    ["set-role", { ...project, principal: "new", role: "viewer", ...take }, "owner"],
    ["generate-tiles", map, "manager"],
    ["export-map", map, "viewer"],
    ["request-approval", { ...project, action: "delete-project" }, "editor"],
  ];
  const members = ["mallory", "vic", "bob", "eve", "ann"];
  const roles = [undefined, "viewer", "editor", "manager", "owner"];
  for (const [name, input, least] of tries) {
    const codes = members.map((principal) => decider.trial(() => decider.write(name, input, { principal })).code);
    const expected = roles.map((_role, index) => (index >= roles.indexOf(least) ? "done" : "workspace.role_missing"));
    assert.deepEqual(codes, expected, name);
  }
  assert.equal(
    decider.read("get-project", { ...project, ...take }, { principal: "mallory" }).code,
    "workspace.role_missing",
  );
  assert.deepEqual(decider.projectsOf("mallory"), []);
  assert.deepEqual(decider.projectsOf("vic"), [{ project: "p1" }]);
  decider.trial(() => {
    const last = decider.write("remove-role", { ...project, principal: "ann", ...take });
    const lowered = decider.write("set-role", { ...project, principal: "ann", role: "viewer", ...take });
    assert.deepEqual([last.code, lowered.code], ["workspace.last_owner", "workspace.last_owner"]);
  });
});
