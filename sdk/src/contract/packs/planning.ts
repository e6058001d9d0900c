/** Planning: who does what, when. Organizations have projects and collaborators, projects missions, missions assignments. */
import Type from "typebox";
import { line } from "../agents.ts";
import { entityId } from "../conditions.ts";
import { operation } from "../operation.ts";
import type { Operation } from "../operation.ts";
import { resourceOperations, targetAndConditions, writtenResource } from "./resource.ts";
import type { Resource } from "./resource.ts";

const closed = { additionalProperties: false } as const;
const pack = "planning";

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$",
  description:
    "1 to 200 characters, unique within what it belongs to; upper and lower case of a to z count as the same.",
});

const time = Type.String({
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{3})?Z$",
  description: "A time in UTC, such as 2027-03-01T08:00:00Z.",
});

const description = Type.Optional(Type.String({ maxLength: 10_000, description: "Anything worth knowing." }));

const idOf = (what: string) => Type.String({ ...entityId, description: `The id of the ${what} that it belongs to.` });

export const missionStatus = Type.Enum(["draft", "planned", "locked", "completed", "cancelled"], {
  description: "draft, planned, locked, completed; or cancelled, from draft or planned.",
});

export const organization = {
  pack,
  name: "organization",
  plural: "organizations",
  type: "planning-organization",
  summary: "Whoever plans: projects and collaborators belong to one.",
  fixed: {},
  fields: { name },
  shown: {},
  filters: {},
} as const satisfies Resource;

export const project = {
  pack,
  name: "project",
  plural: "projects",
  type: "planning-project",
  summary: "What an organization undertakes.",
  fixed: { organization_id: idOf("organization") },
  fields: { name, description },
  shown: {},
  filters: { organization_id: Type.Optional(entityId) },
} as const satisfies Resource;

export const collaborator = {
  pack,
  name: "collaborator",
  plural: "collaborators",
  type: "planning-collaborator",
  summary: "Somebody who can be assigned to missions of the organization.",
  fixed: { organization_id: idOf("organization") },
  fields: {
    name,
    email: Type.Optional(
      Type.String({ maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+$", description: "Where to write to." }),
    ),
  },
  shown: {},
  filters: { organization_id: Type.Optional(entityId) },
} as const satisfies Resource;

export const mission = {
  pack,
  name: "mission",
  plural: "missions",
  type: "planning-mission",
  summary: "A piece of work of a project, in a range of time, with a lifecycle.",
  fixed: { project_id: idOf("project") },
  fields: { name, description, from: Type.Optional(time), to: Type.Optional(time) },
  shown: { status: missionStatus },
  filters: { project_id: Type.Optional(entityId), status: Type.Optional(missionStatus) },
} as const satisfies Resource;

export const assignment = {
  pack,
  name: "assignment",
  plural: "assignments",
  type: "planning-assignment",
  summary: "A collaborator who does something in a mission, for a while that lies inside the mission's.",
  fixed: { mission_id: idOf("mission") },
  fields: { collaborator_id: entityId, role: name, from: time, to: time },
  shown: {},
  filters: { mission_id: Type.Optional(entityId), collaborator_id: Type.Optional(entityId) },
} as const satisfies Resource;

export const planningResources = [organization, project, collaborator, mission, assignment] as const;

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
  name: "transition-mission",
  kind: "write",
  summary:
    "Moves a mission on: draft to planned, planned to locked, locked to completed, draft or planned to cancelled. " +
    "A planned one needs a range of time, an assignment, and nobody booked twice.",
  input: Type.Object(
    { ...targetAndConditions, to: Type.Enum(["planned", "locked", "completed", "cancelled"]) },
    closed,
  ),
  output: writtenResource(mission),
  problems: [...lifecycleProblems],
});

export const reopenMission = operation({
  name: "reopen-mission",
  kind: "write",
  summary: "An operator takes a locked mission back to planned, with a reason.",
  input: Type.Object({ ...targetAndConditions, reason: Type.String({ ...line, minLength: 1 }) }, closed),
  output: writtenResource(mission),
  problems: [...lifecycleProblems, "not_allowed"],
});

export const planningOperations: Readonly<Record<string, Operation>> = {
  ...Object.fromEntries(planningResources.flatMap((resource) => Object.entries(resourceOperations(resource)))),
  "transition-mission": transitionMission,
  "reopen-mission": reopenMission,
};
