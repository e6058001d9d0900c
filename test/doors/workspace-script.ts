/** Every operation of the workspace. Approvals need a second person: see test/workspace/approvals.test.ts. */
import type { CallReply } from "holdfast";
import { step } from "./script-step.ts";
import type { OperationInput, ScriptStep } from "./script-step.ts";

/** A member of the last answer that has it. */
const lastOf = (before: readonly CallReply[], member: string): unknown =>
  before.map(({ outcome }) => outcome.data as OperationInput).findLast((data) => data[member] !== undefined)?.[member];

const lock = "take";
const at = (revision: string): OperationInput => ({ expected_revision: revision, lock });
const project = { project: "w1" };
const map = { ...project, map: "m1" };
const sketch = { ...map, sketch: "s1" };
const object = { ...sketch, object: "o1" };
const put = { op: "put", object: "o1", value: { shape: "point", points: [3, 4] } };
const template = { template: "floor" };

const records: readonly ScriptStep[] = [
  step("workspace.create-project", { ...project, name: "Main building" }),
  step("workspace.create-project", { ...project, name: "Main building", lock }, { key: "w1" }),
  step("workspace.create-project", { ...project, name: "Main building", lock }, { key: "w1" }),
  step("workspace.update-project", { ...project, changes: { name: "Tower" }, ...at("1.1") }),
  step("workspace.get-project", { ...project, lock }),
  step("workspace.get-project", project),
  step("workspace.list-projects", { limit: 50 }),
  step("workspace.set-role", { ...project, principal: "ann", role: "editor", ...at("1.2") }),
  step("workspace.remove-role", { ...project, principal: "ann", ...at("1.3") }),
  step("workspace.create-map", { ...map, name: "Ground floor", lock }),
  step("workspace.update-map", { ...map, changes: { name: "First floor" }, ...at("1.1") }),
  step("workspace.calibrate-map", {
    ...map,
    points: [
      { x: 0, y: 0, u: 0, v: 0 },
      { x: 100, y: 0, u: 5, v: 0 },
    ],
    unit: "m",
    ...at("1.2"),
  }),
  step("workspace.get-map", { ...map, lock }),
  step("workspace.list-maps", { ...project, lock }),
  step("workspace.create-sketch", { ...sketch, name: "Doors", lock }),
  step("workspace.create-sketch", { ...map, sketch: "s2", name: "Windows", lock }),
  step("workspace.update-sketch", { ...sketch, changes: { name: "Gates" }, ...at("1.1") }),
  step("workspace.get-sketch", { ...sketch, lock }),
  step("workspace.list-sketches", { ...map, lock }),
];

const objects: readonly ScriptStep[] = [
  step("workspace.change-objects", { ...sketch, changes: [put], lock }, { route: 1 }),
  step("workspace.change-objects", { ...map, changes: [{ ...put, sketch: "s2", object: "o2" }], lock }),
  step("workspace.get-object", { ...object, lock }),
  step("workspace.list-objects", { ...sketch, limit: 100, lock }, { route: 1 }),
  step("workspace.list-objects", { ...map, lock }),
  step("workspace.hit-test", { ...sketch, x: 3, y: 4, tolerance: 0.5, lock }),
  step("workspace.select-objects", { ...sketch, box: [0, 0, 10, 10], mode: "touching", lock }),
  step("workspace.measure", { ...sketch, objects: ["o1"], lock }),
  step("workspace.reassign-objects", {
    ...project,
    from: { map: "m1", sketch: "s1" },
    to: { map: "m1", sketch: "s2" },
    objects: ["o1"],
    lock,
  }),
  step("workspace.list-rules"),
];

const templates: readonly ScriptStep[] = [
  step("workspace.create-template", { ...template, name: "A floor", maps: [{ map: "plan", name: "Plan" }] }),
  step("workspace.update-template", { ...template, changes: { name: "Floor" }, expected_revision: "1.1" }),
  step("workspace.get-template", template),
  step("workspace.list-templates", { limit: 50 }),
  step("workspace.apply-template", { ...project, ...template, prefix: "west-", lock }),
  step("workspace.delete-template", { ...template, expected_revision: "1.2" }),
];

const approval = (before: readonly CallReply[]) => ({ ...project, approval: lastOf(before, "approval") });

const approvals: readonly ScriptStep[] = [
  step("workspace.request-approval", { ...project, action: "delete-project" }),
  step("workspace.decide-approval", (before) => ({ ...approval(before), decision: "approve" })),
  step("workspace.list-approvals", { ...project, lock }),
  step("workspace.delete-project", (before) => ({ ...approval(before), ...at("1.4") })),
  step("workspace.restore-project", (before) => ({ ...approval(before), backup: "none" })),
];

interface TakenJob {
  readonly id: string;
  readonly claim: string;
  readonly fence: string;
}

/** The job that was taken last. Without answers there is none. */
const taken = (before: readonly CallReply[]): TakenJob =>
  before
    .map(({ outcome }) => (outcome.data as { readonly next?: unknown }).next)
    .flatMap((next) => (Array.isArray(next) ? (next as readonly TakenJob[]) : []))
    .at(-1) ?? { id: "none", claim: "1.1", fence: "1.1" };
const underJob =
  (input: OperationInput = {}) =>
  (before: readonly CallReply[]) => ({ ...project, ...input, fence: taken(before).fence });
const worker = { agent: (before: readonly CallReply[]) => lastOf(before, "agent_id") as string };

/** The worker of one job writes under its fence. The other jobs wait for a worker. */
const work: readonly ScriptStep[] = [
  step("workspace.recalculate-project", project),
  step("register-agent", { name: "worker", inactivity_seconds: 600 }),
  step("jobs.take", { types: ["workspace.recalculate@main"] }, worker),
  step("workspace.set-totals", underJob({ ...sketch, totals: { objects: 0, box: null, length: 0, area: 0 } }), worker),
  step("workspace.list-records", underJob({ limit: 1000 }), worker),
  step("workspace.begin-restore", underJob(), worker),
  step("workspace.get-project", { ...project, lock }),
  step("workspace.clear-records", underJob(), worker),
  step(
    "workspace.write-records",
    underJob({ records: [{ type: "workspace-map", id: "m9", value: { name: "Ground floor" } }] }),
    worker,
  ),
  step("workspace.end-restore", underJob({ value: { name: "Tower", roles: { operator: "owner" } } }), worker),
  step("jobs.complete", (before) => ({ id: taken(before).id, claim: taken(before).claim }), worker),
  step("workspace.set-totals", underJob({ ...sketch, totals: { objects: 0, box: null, length: 0, area: 0 } }), worker),
  step("workspace.generate-tiles", { ...project, map: "m9" }),
  step("workspace.import-floorplan", { ...project, map: "m9", upload: "u1", path: "plan.png" }),
  step("workspace.export-map", { ...project, map: "m9" }),
  step("workspace.import-into-project", { ...project, upload: "u1", path: "doors.geojson" }),
  step("workspace.backup-project", project),
];

const removals: readonly ScriptStep[] = [
  step("workspace.create-sketch", { ...project, map: "m9", sketch: "s9", name: "Doors", lock }),
  step("workspace.delete-sketch", { ...project, map: "m9", sketch: "s9", ...at("1.1") }),
  step("workspace.create-map", { ...project, map: "m8", name: "Attic", lock }),
  step("workspace.delete-map", { ...project, map: "m8", ...at("1.1") }),
];

export const workspace: readonly ScriptStep[] = [
  ...records,
  ...objects,
  ...templates,
  ...approvals,
  ...work,
  ...removals,
];
