/** A project in one of several storage roots: nothing is guessed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { take, WorkspaceDecider } from "./workspace-decider.ts";

const project = { project: "p" };

function announced(...roots: readonly string[]): WorkspaceDecider {
  const decider = new WorkspaceDecider();
  for (const root of roots) {
    const input = { root, root_id: root, session: root, node: "n" };
    assert.equal(decider.decide("files.announce", input, "holdfast").code, "done");
  }
  return decider;
}

test("a project and its backup are refused with the question if there are several storage roots and none is named [W4 W13]", () => {
  const decider = announced("fast", "large");
  const agent = decider.agent();
  const before = decider.records();
  const refused = decider.write("create-project", { ...project, name: "p", ...take }, { agent });
  assert.equal(refused.code, "workspace.root_ambiguous");
  assert.match(refused.data["question"] as string, /2 storage roots: fast, large\. In which one .* Send root\./u);
  assert.deepEqual(refused.data["choices"], [{ root: "fast" }, { root: "large" }]);
  assert.equal(decider.records(), before, "nothing changed");
  assert.deepEqual(decider.holders(), [], "no lock is left");
  assert.equal(decider.entries.at(-1)?.outcome.kind, "refusal", "the attempt of an agent is audited");
  const none = decider.write("create-project", { ...project, name: "p", root: "none", ...take });
  assert.equal(none.code, "files.root_unknown");
  decider.done("create-project", { ...project, name: "p", root: "large", ...take });
  assert.equal(decider.read("get-project", { ...project, ...take }).data["root"], "large");
  const backup = decider.write("backup-project", project);
  assert.deepEqual([backup.code, backup.data["choices"]], [refused.code, refused.data["choices"]]);
  assert.equal(decider.write("backup-project", { ...project, root: "fast" }).code, "done");
});

test("a job runs where the files of its project are, and a backup where it is written [W11]", () => {
  const decider = announced("fast", "large");
  decider.done("create-project", { ...project, name: "p", root: "large", ...take });
  const rootOf = (job: unknown): unknown => {
    const rows = [...decider.machine.dump()].filter(({ table, key }) => table === "jobs" && key === job);
    return (rows[0]?.row as { readonly root?: string }).root;
  };
  const { data } = decider.done("recalculate-project", project);
  const backup = decider.done("backup-project", { ...project, root: "fast" });
  assert.deepEqual([rootOf(data["job"]), rootOf(backup.data["job"])], ["large", "fast"]);
});

test("a project is in the only storage root, and has none if there is none [W4]", () => {
  for (const roots of [["main"], []]) {
    const decider = announced(...roots);
    decider.done("create-project", { ...project, name: "p", ...take });
    assert.equal(decider.read("get-project", { ...project, ...take }).data["root"], roots[0]);
  }
});
