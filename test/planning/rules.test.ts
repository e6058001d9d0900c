import assert from "node:assert/strict";
import { promise, promiseOnEveryStore } from "../api/with-client.ts";
import { day, made, refused, smallPlan, staffedMission } from "./small-plan.ts";

promiseOnEveryStore(
  "a created resource has an id, a revision and its own fields, and is in its list [P1]",
  async (client) => {
    const { organization, project } = await smallPlan(client);
    assert.equal(project["name"], "Bridge");
    assert.equal(project["archived"], false);
    assert.match(project.revision, /^1\.1$/u);
    const { items } = (await client.run("planning.list-projects", { organization_id: organization.id })) as {
      items: unknown[];
    };
    const { changed: _changed, previous_revision: _previous, ...shown } = project;
    assert.deepEqual(items, [shown]);
    assert.deepEqual(await client.run("planning.get-project", { id: project.id }), shown);
  },
);

promise("a mission can only change from draft to planned to locked to completed [P7]", async (client) => {
  const plan = await smallPlan(client);
  const { mission } = await staffedMission(client, plan, { name: "Weld", collaborator: plan.ann, from: 1, to: 5 });
  await refused(
    "planning.transition_invalid",
    client.run("planning.transition-mission", { id: mission.id, to: "locked" }),
  );
  for (const to of ["planned", "locked", "completed"]) {
    const moved = await made(client, "planning.transition-mission", { id: mission.id, to });
    assert.equal(moved["status"], to);
  }
  await refused(
    "planning.transition_invalid",
    client.run("planning.transition-mission", { id: mission.id, to: "cancelled" }),
  );
});

promise("a mission without range and assignment cannot be planned, and the refusal names both [P7]", async (client) => {
  const { project } = await smallPlan(client);
  const mission = await made(client, "planning.create-mission", { project_id: project.id, name: "Dream" });
  const error = await refused(
    "planning.prerequisite_missing",
    client.run("planning.transition-mission", { id: mission.id, to: "planned" }),
  );
  assert.deepEqual(error.data["missing"], ["a time range: from and to", "at least one assignment"]);
});

promise(
  "an archive that changes other fields is refused, so archiving does not bypass the rules [P7]",
  async (client) => {
    const plan = await smallPlan(client);
    const { mission } = await staffedMission(client, plan, { name: "Weld", collaborator: plan.ann, from: 1, to: 5 });
    const target = { type: "planning-mission", id: mission.id };
    const archived = { ...target, merge: { archived: true, from: day(20), to: day(15) } };
    const error = await refused("planning.archive_alone", client.run("patch-entity", archived));
    assert.equal(error.data["field"], "from");
    for (const to of ["planned", "locked", "completed"])
      await client.run("planning.transition-mission", { id: mission.id, to });
    const rewritten = { ...target, merge: { archived: true, name: "Something else" } };
    await refused("planning.archive_alone", client.run("patch-entity", rewritten));
    assert.equal((await made(client, "planning.archive-mission", { id: mission.id }))["archived"], true);
  },
);

promise("an archived collaborator is never booked when a draft is planned [P7]", async (client) => {
  const plan = await smallPlan(client);
  const { mission } = await staffedMission(client, plan, { name: "Weld", collaborator: plan.ann, from: 1, to: 5 });
  await client.run("planning.archive-collaborator", { id: plan.ann.id });
  const planned = { id: mission.id, to: "planned" };
  const error = await refused("planning.archived", client.run("planning.transition-mission", planned));
  assert.deepEqual(error.data["archived"], { type: "planning-collaborator", id: plan.ann.id });
  await client.run("planning.unarchive-collaborator", { id: plan.ann.id });
  assert.equal((await made(client, "planning.transition-mission", planned))["status"], "planned");
});

promise(
  "a collaborator is never booked twice, and the refusal names both assignments with their times [P7]",
  async (client) => {
    const plan = await smallPlan(client);
    const first = await staffedMission(client, plan, { name: "Weld", collaborator: plan.ann, from: 1, to: 5 });
    const second = await staffedMission(client, plan, { name: "Paint", collaborator: plan.ann, from: 4, to: 8 });
    await client.run("planning.transition-mission", { id: first.mission.id, to: "planned" });
    const transition = client.run("planning.transition-mission", { id: second.mission.id, to: "planned" });
    const error = await refused("planning.booking_clash", transition);
    assert.deepEqual(error.data["clashes"], [
      {
        collaborator_id: plan.ann.id,
        assignment_id: second.assignment.id,
        mission_id: second.mission.id,
        from: day(4),
        to: day(8),
        other_assignment_id: first.assignment.id,
        other_mission_id: first.mission.id,
        other_mission_name: "Weld",
        other_from: day(1),
        other_to: day(5),
      },
    ]);
    await client.run("planning.transition-mission", { id: first.mission.id, to: "cancelled" });
    assert.equal(
      (await made(client, "planning.transition-mission", { id: second.mission.id, to: "planned" }))["status"],
      "planned",
    );
  },
);

promise("a booking can begin when another one ends [P7]", async (client) => {
  const plan = await smallPlan(client);
  const missions = [
    await staffedMission(client, plan, { name: "Weld", collaborator: plan.ann, from: 1, to: 5 }),
    await staffedMission(client, plan, { name: "Paint", collaborator: plan.ann, from: 5, to: 8 }),
    await staffedMission(client, plan, { name: "Check", collaborator: plan.bob, from: 1, to: 8 }),
  ];
  for (const { mission } of missions)
    await client.run("planning.transition-mission", { id: mission.id, to: "planned" });
});
