import assert from "node:assert/strict";
import { promise, promiseOnEveryStore } from "../api/with-client.ts";
import { day, refused } from "./small-plan.ts";

promiseOnEveryStore(
  "a client plans with typed calls, and every write returns the revision for the next one [P1 P3]",
  async ({ planning }) => {
    const acme = await planning.organizations.create({ name: "Acme" });
    const bridge = await planning.projects.create({ organizationId: acme.id, name: "Bridge" });
    const ann = await planning.collaborators.create({ organizationId: acme.id, name: "Ann" });
    const weld = await planning.missions.create({ projectId: bridge.id, name: "Weld", from: day(1), to: day(9) });
    await planning.assignments.create({
      missionId: weld.id,
      collaboratorId: ann.id,
      role: "welder",
      from: day(1),
      to: day(5),
    });
    const described = await planning.missions.update(
      weld.id,
      { description: "by hand" },
      { expectedRevision: weld.revision },
    );
    assert.equal(described.previousRevision, weld.revision);
    const planned = await planning.missions.transition(weld.id, "planned", { expectedRevision: described.revision });
    assert.equal(planned.status, "planned");
    const late = planning.missions.update(weld.id, { name: "Solder" }, { expectedRevision: weld.revision });
    const conflict = await refused("planning.concurrency_mismatch", late);
    assert.equal(conflict.data["currentRevision"], planned.revision);
    const { items } = await planning.missions.list({ projectId: bridge.id, status: "planned" });
    assert.deepEqual(
      items.map(({ name }) => name),
      ["Weld"],
    );
  },
);

promise("an update that changes nothing keeps the revision [P1]", async ({ planning }) => {
  const acme = await planning.organizations.create({ name: "Acme" });
  const same = await planning.organizations.update(acme.id, { name: "Acme" }, { expectedRevision: acme.revision });
  assert.equal(same.changed, false);
  assert.equal(same.revision, acme.revision);
});

promise(
  "concurrent creates with the same key create one resource and return the same reply [P4 P5]",
  async ({ planning }) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => planning.organizations.create({ name: "Acme" }, { key: "create-acme" })),
    );
    assert.equal(new Set(answers.map((reply) => JSON.stringify(reply))).size, 1);
    assert.equal((await planning.organizations.list()).items.length, 1);
    const other = planning.organizations.create({ name: "Other" }, { key: "create-acme" });
    await refused("planning.idempotency_replay_conflict", other);
  },
);

promise("a name is unique within its parent, including archived resources", async ({ planning }) => {
  const acme = await planning.organizations.create({ name: "Acme" });
  await refused("planning.name_taken", planning.organizations.create({ name: "ACME" }));
  const bridge = await planning.projects.create({ organizationId: acme.id, name: "Bridge" });
  await planning.projects.archive(bridge.id);
  await refused("planning.name_taken", planning.projects.create({ organizationId: acme.id, name: "Bridge" }));
  const umbrella = await planning.organizations.create({ name: "Umbrella" });
  await planning.projects.create({ organizationId: umbrella.id, name: "Bridge" });
});

promise(
  "a resource below an archived one cannot change, and a resource with children cannot be deleted",
  async ({ planning }) => {
    const acme = await planning.organizations.create({ name: "Acme" });
    const bridge = await planning.projects.create({ organizationId: acme.id, name: "Bridge" });
    await refused("planning.in_use", planning.organizations.delete(acme.id));
    await planning.organizations.archive(acme.id);
    await refused("planning.archived", planning.projects.update(bridge.id, { name: "Tunnel" }));
    await refused("planning.archived", planning.missions.create({ projectId: bridge.id, name: "Dig" }));
    await refused("planning.archived", planning.organizations.update(acme.id, { name: "Apex" }));
    await planning.organizations.unarchive(acme.id);
    await planning.projects.delete(bridge.id);
    await planning.organizations.delete(acme.id);
  },
);

promise(
  "a disabled pack refuses calls and names its toggle, and its data is unchanged when it is enabled again",
  async (client) => {
    const acme = await client.planning.organizations.create({ name: "Acme" });
    await client.run("configure", { settings: { component_toggles: { planning: false } } });
    const error = await refused("planning.off", client.planning.organizations.create({ name: "Umbrella" }));
    assert.equal(error.data["toggle"], "component_toggles.planning");
    await client.run("configure", { settings: { component_toggles: { planning: true } } });
    assert.equal((await client.planning.organizations.get(acme.id)).name, "Acme");
  },
);

promise(
  "a foreign collaborator, a missing parent or an impossible date is refused with its own code",
  async ({ planning }) => {
    const acme = await planning.organizations.create({ name: "Acme" });
    const bridge = await planning.projects.create({ organizationId: acme.id, name: "Bridge" });
    const umbrella = await planning.organizations.create({ name: "Umbrella" });
    const eve = await planning.collaborators.create({ organizationId: umbrella.id, name: "Eve" });
    await refused("planning.parent_not_found", planning.projects.create({ organizationId: "none", name: "Void" }));
    const never = { from: "2027-02-30T00:00:00Z", to: day(2) };
    await refused("planning.range_invalid", planning.missions.create({ projectId: bridge.id, name: "Dig", ...never }));
    const dig = await planning.missions.create({ projectId: bridge.id, name: "Dig", from: day(1), to: day(5) });
    const range = { missionId: dig.id, role: "digger", from: day(1), to: day(2) };
    await refused("planning.other_organization", planning.assignments.create({ ...range, collaboratorId: eve.id }));
    const ann = await planning.collaborators.create({ organizationId: acme.id, name: "Ann" });
    const late = planning.assignments.create({ ...range, collaboratorId: ann.id, to: day(6) });
    await refused("planning.outside_range", late);
  },
);
