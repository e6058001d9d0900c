/**
 * Planning assigns people to work in time. Organizations have projects and collaborators, projects have missions,
 * missions have assignments.
 */
import Type from "typebox";
import { line } from "../agents.ts";
import { entityId } from "../conditions.ts";
import { operation } from "../operation.ts";
import { ofResource } from "../rights.ts";
import { definePack } from "./pack.ts";
import { withProblemData } from "../problem.ts";
import { planningProblemData } from "./planning-problem-data.ts";
import { planningProblems } from "./planning-problems.ts";
import {
  expectedExample,
  resourceOperations,
  resourceRoute,
  targetAndConditions,
  writtenResource,
} from "./resource-operations.ts";
import type { Resource } from "./resource.ts";

const closed = { additionalProperties: false } as const;
const pack = "planning";

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$",
  description: "1 to 200 characters, unique within the parent. Upper and lower case of a to z are equal.",
});

const time = Type.String({
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{3})?Z$",
  description: "A time in UTC, such as 2027-03-01T08:00:00Z.",
});

const description = Type.Optional(Type.String({ maxLength: 10_000, description: "Free text." }));

const idOf = (what: string) => Type.String({ ...entityId, description: `The id of the ${what} that is the parent.` });

const missionStatus = Type.Enum(["draft", "planned", "locked", "completed", "cancelled"], {
  description: "draft, planned, locked, completed; or cancelled, from draft or planned.",
});

const exampleRange = { from: "2027-03-01T08:00:00Z", to: "2027-03-05T17:00:00Z" } as const;

export const organization = {
  pack,
  name: "organization",
  plural: "organizations",
  type: "planning-organization",
  summary: "An organization that plans. Projects and collaborators belong to one.",
  fixed: {},
  fields: { name },
  shown: {},
  filters: {},
  example: { created: { id: "acme", name: "Acme" }, changes: { name: "Acme Works" }, filters: {} },
} as const satisfies Resource;

export const project = {
  pack,
  name: "project",
  plural: "projects",
  type: "planning-project",
  summary: "A project of an organization.",
  fixed: { organization_id: idOf("organization") },
  fields: { name, description },
  shown: {},
  filters: { organization_id: Type.Optional(entityId) },
  example: {
    created: { id: "bridge", organization_id: "acme", name: "Bridge" },
    changes: { description: "over the river" },
    filters: { organization_id: "acme" },
  },
} as const satisfies Resource;

export const collaborator = {
  pack,
  name: "collaborator",
  plural: "collaborators",
  type: "planning-collaborator",
  summary: "A person who can be assigned to missions of the organization.",
  fixed: { organization_id: idOf("organization") },
  fields: {
    name,
    email: Type.Optional(
      Type.String({ maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+$", description: "E-mail address." }),
    ),
  },
  shown: {},
  filters: { organization_id: Type.Optional(entityId) },
  example: {
    created: { id: "ann", organization_id: "acme", name: "Ann", email: "ann@acme.example" },
    changes: { name: "Anna" },
    filters: { organization_id: "acme" },
  },
} as const satisfies Resource;

export const mission = {
  pack,
  name: "mission",
  plural: "missions",
  type: "planning-mission",
  summary: "A piece of work of a project, with a time range and a lifecycle.",
  fixed: { project_id: idOf("project") },
  fields: { name, description, from: Type.Optional(time), to: Type.Optional(time) },
  shown: { status: missionStatus },
  filters: { project_id: Type.Optional(entityId), status: Type.Optional(missionStatus) },
  example: {
    created: { id: "weld", project_id: "bridge", name: "Weld", ...exampleRange },
    changes: { description: "by hand" },
    filters: { project_id: "bridge", status: "planned" },
  },
} as const satisfies Resource;

export const assignment = {
  pack,
  name: "assignment",
  plural: "assignments",
  type: "planning-assignment",
  summary: "The assignment of a collaborator to a mission, with a time range inside that of the mission.",
  fixed: { mission_id: idOf("mission") },
  fields: { collaborator_id: entityId, role: name, from: time, to: time },
  shown: {},
  filters: { mission_id: Type.Optional(entityId), collaborator_id: Type.Optional(entityId) },
  example: {
    created: { id: "weld-ann", mission_id: "weld", collaborator_id: "ann", role: "welder", ...exampleRange },
    changes: { role: "painter" },
    filters: { mission_id: "weld" },
  },
} as const satisfies Resource;

const planningResources = [organization, project, collaborator, mission, assignment] as const;

const lifecycleProblems = [
  "entity_not_found",
  "entity_deleted",
  "concurrency_mismatch",
  "planning.transition_invalid",
  "planning.prerequisite_missing",
  "planning.booking_clash",
  "planning.archived",
] as const;

export const transitionMission = operation({
  name: "planning.transition-mission",
  kind: "write",
  summary:
    "Changes the status of a mission: draft to planned, planned to locked, locked to completed, draft or planned to cancelled. " +
    "A planned mission needs a time range, an assignment and no collaborator with two bookings at the same time.",
  input: Type.Object(
    { ...targetAndConditions, to: Type.Enum(["planned", "locked", "completed", "cancelled"]) },
    closed,
  ),
  output: writtenResource(mission),
  problems: [...lifecycleProblems],
  rights: [{ verbs: ["write"], touches: ofResource(mission) }],
  routes: [resourceRoute(mission, "transition")],
  example: { id: "weld", to: "planned", ...expectedExample },
  resource: mission,
});

export const reopenMission = operation({
  name: "planning.reopen-mission",
  kind: "write",
  summary: "Returns a locked mission to planned, with a reason; for operators.",
  input: Type.Object({ ...targetAndConditions, reason: Type.String({ ...line, minLength: 1 }) }, closed),
  output: writtenResource(mission),
  problems: [...lifecycleProblems, "not_allowed"],
  rights: [{ verbs: ["operate"], touches: ofResource(mission) }],
  routes: [resourceRoute(mission, "reopen")],
  example: { id: "weld", reason: "the steel came late", ...expectedExample },
  resource: mission,
});

export const planning = definePack({
  name: pack,
  summary: "Plans of work with organizations, projects, missions, assignments and collaborators.",
  resources: planningResources,
  operations: [...planningResources.flatMap(resourceOperations), transitionMission, reopenMission],
  events: {},
  problems: withProblemData(planningProblems, planningProblemData),
});
