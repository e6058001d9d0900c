import assert from "node:assert/strict";
import { test } from "node:test";
import { packs } from "@holdfast/sdk/contract";
import { gatedNode } from "./gated-node.ts";

const range = { from: "2027-01-01T00:00:00Z", to: "2027-01-02T00:00:00Z" };

test("a refusal of planning names no mission, assignment or collaborator that its caller may not read [X14]", async () => {
  const node = await gatedNode();
  const { planning } = node.operator;
  await planning.organizations.create({ id: "o", name: "O" });
  await planning.projects.create({ id: "p", organizationId: "o", name: "P" });
  for (const id of ["jane", "joe"]) await planning.collaborators.create({ id, organizationId: "o", name: id });
  for (const [id, collaborator_id] of [
    ["secret-merger", "jane"],
    ["mine", "joe"],
  ] as const) {
    await planning.missions.create({ id, projectId: "p", name: id, ...range });
    await planning.assignments.create({
      id: `${id}-a`,
      missionId: id,
      collaboratorId: collaborator_id,
      role: "r",
      ...range,
    });
    await planning.missions.transition(id, "planned");
  }
  const under = "planning-assignment/mine-a";
  const client = node.clientWith({ token: await node.tokenFor("bob", [{ verbs: ["read", "write"], under }]) });
  const book = (reader: typeof client) =>
    reader.execute("planning.update-assignment", {
      ...{ id: "mine-a", changes: { collaborator_id: "jane" }, expected_version: 1 },
    });
  const { outcome } = await book(client);
  assert.ok(outcome.kind === "refusal");
  assert.equal(outcome.code, "planning.booking_clash");
  assert.deepEqual(outcome.data, { clashes: [], clash_count: 1 });
  const full = (await book(node.operator)).outcome.data as { readonly clashes: readonly object[] };
  assert.equal(full.clashes.length, 1, "a caller that may read both gets the clash");
  // Bob may read both missions and the other assignment, and not the assignment that clashes.
  const narrow = await node.tokenFor("bob", [
    { verbs: ["read", "write"], under: "planning-mission" },
    { verbs: ["read"], under: "planning-assignment/secret-merger-a" },
  ]);
  await planning.missions.create({ id: "draft", projectId: "p", name: "draft", ...range });
  await planning.assignments.create({
    id: "hidden-a",
    missionId: "draft",
    collaboratorId: "jane",
    role: "r",
    ...range,
  });
  const plan = { id: "draft", to: "planned", expected_version: 1 };
  const planned = await node.clientWith({ token: narrow }).execute("planning.transition-mission", plan);
  assert.deepEqual(planned.outcome, {
    ...{ kind: "refusal", code: "planning.booking_clash", data: { clashes: [], clash_count: 1 } },
  });
  const late = { id: "mine-a", changes: { to: "2027-01-09T00:00:00Z" }, expected_version: 1 };
  const outside = await client.execute("planning.update-assignment", late);
  assert.doesNotMatch(JSON.stringify(outside.outcome), /"mission":|secret/u);
  await node.stop();
});

test("every refusal of a pack that names another entity declares it", () => {
  // The members of refusals that hold ids or paths of other entities.
  const declared = packs.flatMap(({ problems }) =>
    Object.entries(problems).flatMap(([code, { reveals = [] }]) =>
      reveals.map(({ member = "", id }) => `${code} ${member}.${id}`),
    ),
  );
  assert.deepEqual(declared.toSorted(), [
    ...["files.lock_required acquire.path", "files.lock_required missing.path"],
    "intents.lock_required acquire.path",
    "intents.lock_required missing.path",
    "jobs.locks_unavailable holders.path",
    "planning.archived archived.id",
    "planning.booking_clash clashes.assignment_id",
    "planning.booking_clash clashes.other_assignment_id",
    "planning.booking_clash clashes.other_mission_id",
    "planning.in_use used_by.id",
    "planning.mission_closed .mission_id",
    "planning.name_taken .taken_by",
    "planning.other_organization .organization_id",
    "planning.outside_range mission.id",
    "planning.outside_range outside.assignment_id",
    ...["programs.check_too_large errors.because", "programs.check_too_large errors.case_of"],
    ...["programs.check_too_large errors.function_id", "programs.check_too_large errors.suggestion"],
    "programs.lock_required acquire.path",
    "programs.lock_required missing.path",
    ...["programs.text_invalid errors.because", "programs.text_invalid errors.case_of"],
    ...["programs.text_invalid errors.function_id", "programs.text_invalid errors.suggestion"],
    ...["programs.verification_failed errors.because", "programs.verification_failed errors.case_of"],
    ...["programs.verification_failed errors.function_id", "programs.verification_failed errors.suggestion"],
    ...["workspace.lock_required acquire.path", "workspace.lock_required missing.path"],
  ]);
});
