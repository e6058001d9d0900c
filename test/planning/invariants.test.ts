import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { open } from "holdfast";
import type { Client } from "holdfast";
import { allResources } from "./all-resources.ts";
import type { Resources } from "./all-resources.ts";
import { counts } from "../prove/counts.ts";

/** One random step. Numbers choose among the existing resources, so most steps are valid and some are not. */
interface PlanningStep {
  readonly verb: number;
  readonly which: number;
  readonly other: number;
  readonly from: number;
  readonly days: number;
}

const planningStep: fc.Arbitrary<PlanningStep> = fc.record({
  verb: fc.nat(16),
  which: fc.nat(5),
  other: fc.nat(5),
  from: fc.integer({ min: 1, max: 20 }),
  days: fc.integer({ min: 0, max: 6 }),
});

const day = (number: number): string => `2027-03-${String(number).padStart(2, "0")}T00:00:00Z`;

const ids: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ["organization", "project", "collaborator", "mission", "assignment"].map((name) => [
    name,
    Array.from({ length: 6 }, (_, number) => `${name}-${String(number)}`),
  ]),
);

const id = (name: string, number: number): string => ids[name]?.[number % 6] ?? "";

function commandOf({ verb, which, other, from, days }: PlanningStep): readonly [string, object] {
  const range = { from: day(from), to: day(from + days) };
  const kinds = ["organization", "project", "collaborator", "mission", "assignment"];
  const kind = kinds[other % kinds.length] ?? "";
  const commands: readonly (readonly [string, object])[] = [
    ["planning.create-organization", { id: id("organization", which % 2), name: `Org ${String(which % 3)}` }],
    [
      "planning.create-project",
      { id: id("project", which), organization_id: id("organization", other % 2), name: `P${which % 4}` },
    ],
    [
      "planning.create-collaborator",
      { id: id("collaborator", which), organization_id: id("organization", other % 2), name: `C${String(which)}` },
    ],
    [
      "planning.create-mission",
      { id: id("mission", which), project_id: id("project", other), name: `M${which}`, ...range },
    ],
    [
      "planning.create-assignment",
      {
        ...range,
        id: id("assignment", which),
        mission_id: id("mission", days),
        collaborator_id: id("collaborator", other),
        role: "r",
      },
    ],
    [
      "planning.create-assignment",
      { ...range, mission_id: id("mission", which), collaborator_id: id("collaborator", other), role: "r" },
    ],
    ["planning.transition-mission", { id: id("mission", which), to: "planned" }],
    ["planning.transition-mission", { id: id("mission", which), to: ["locked", "completed", "cancelled"][other % 3] }],
    ["planning.reopen-mission", { id: id("mission", which), reason: "changed our minds" }],
    ["planning.update-mission", { id: id("mission", which), changes: range }],
    ["planning.update-assignment", { id: id("assignment", which), changes: range }],
    [
      "planning.update-assignment",
      { id: id("assignment", which), changes: { collaborator_id: id("collaborator", other) } },
    ],
    [`planning.archive-${kind}`, { id: id(kind, which) }],
    [`planning.unarchive-${kind}`, { id: id(kind, which) }],
    [`planning.delete-${kind}`, { id: id(kind, which) }],
    ["patch-entity", { type: "planning-mission", id: id("mission", which), merge: { status: "planned" } }],
    ["patch-entity", { type: `planning-${kind}`, id: id(kind, which), merge: { archived: days % 2 === 0, ...range } }],
  ];
  return commands[verb] ?? ["planning.list-missions", {}];
}

test("no sequence of commands books a collaborator twice, orphans a resource or loses a revision from the history [P7 P8]", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(planningStep, { minLength: 30, maxLength: 90 }), async (steps) => {
      await using client = await open({ memory: true });
      for (const item of [...foundation, ...steps]) {
        const [operation, input] = commandOf(item);
        const { outcome } = await client.execute(operation, input);
        seen.add(`${operation} ${outcome.kind === "done" ? "done" : outcome.code}`);
      }
      const all = await allResources(client);
      assertNoClash(all);
      assertNoArchivedBooking(all);
      assertNoOrphan(all);
      assertPlannable(all);
      await assertWholeHistory(client, all);
    }),
    { numRuns: counts.planningRuns },
  );
  for (const needed of [
    "planning.transition-mission done",
    "planning.transition-mission planning.booking_clash",
    "planning.update-mission done",
  ]) {
    assert.ok(seen.has(needed), `the steps never led to: ${needed}`);
  }
});

/** Creates the resources that most random steps need. */
const foundation: readonly PlanningStep[] = [
  ...[0, 1].map((verb) => ({ verb, which: 0, other: 0, from: 1, days: 1 })),
  ...[0, 1].map((which) => ({ verb: 2, which, other: 0, from: 1, days: 1 })),
  ...[0, 1, 2].map((which) => ({ verb: 3, which, other: 0, from: 1, days: 20 })),
  ...[0, 1, 2].map((which) => ({ verb: 5, which, other: 0, from: 1 + which, days: 2 })),
];

function assertNoClash({ assignments, missions }: Resources): void {
  const active = new Set(
    [...missions.values()].filter(({ status }) => status === "planned" || status === "locked").map((item) => item.id),
  );
  const booked = [...assignments.values()].filter((item) => !item.archived && active.has(item.mission_id ?? ""));
  for (const item of booked) {
    for (const other of booked) {
      if (item.id >= other.id || item.collaborator_id !== other.collaborator_id) continue;
      const isApart = item.to! <= other.from! || other.to! <= item.from!;
      assert.ok(isApart, `${item.id} and ${other.id} book ${String(item.collaborator_id)} twice`);
    }
  }
}

function assertNoArchivedBooking({ assignments, missions, collaborators }: Resources): void {
  for (const { id: assignmentId, archived, mission_id: of, collaborator_id: collaborator } of assignments.values()) {
    const { status } = missions.get(of!)!;
    if (archived || (status !== "planned" && status !== "locked")) continue;
    assert.ok(
      !collaborators.get(collaborator!)!.archived,
      `${assignmentId} books ${String(collaborator)}, an archived collaborator`,
    );
  }
}

function assertNoOrphan({ organizations, projects, collaborators, missions, assignments }: Resources): void {
  for (const item of [...projects.values(), ...collaborators.values()])
    assert.ok(organizations.has(item.organization_id!));
  for (const item of missions.values()) assert.ok(projects.has(item.project_id!));
  for (const item of assignments.values()) {
    const project = projects.get(missions.get(item.mission_id!)!.project_id!);
    assert.equal(collaborators.get(item.collaborator_id!)!.organization_id, project!.organization_id);
  }
}

function assertPlannable({ missions, assignments }: Resources): void {
  for (const mission of missions.values()) {
    const own = [...assignments.values()].filter((item) => item.mission_id === mission.id && !item.archived);
    if (mission.from !== undefined) assert.ok(mission.from < mission.to!, `${mission.id} ends before it begins`);
    for (const item of own)
      assert.ok(
        mission.from! <= item.from! && item.to! <= mission.to!,
        `${item.id} is outside the range of its mission`,
      );
    if (mission.status === "planned" || mission.status === "locked")
      assert.ok(own.length > 0, `${mission.id} has no assignment`);
  }
}

async function assertWholeHistory(client: Client, all: Resources): Promise<void> {
  for (const [plural, resources] of Object.entries(all) as [string, Resources["missions"]][]) {
    for (const { id: resourceId, version } of resources.values()) {
      const { items } = await client.entities.history(`planning-${plural.slice(0, -1)}`, resourceId, { limit: 1000 });
      const versions = items.filter(({ event }) => !event.endsWith(".conflict")).map((item) => item.version);
      assert.deepEqual(
        versions.slice(0, version),
        Array.from({ length: version }, (_, index) => version - index),
      );
    }
  }
}
