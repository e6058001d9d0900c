/** The kinds of planning's entities, each with the rule of every change, through every door. */
import { assignment, collaborator, mission, organization, project } from "@holdfast/sdk/contract";
import type { Resource } from "@holdfast/sdk/contract";
import Type from "typebox";
import { defineKind } from "../../features/entities/kind.ts";
import type { Kind } from "../../features/entities/kind.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { assignmentFault } from "./assignment-fault.ts";
import { collaboratorFault } from "./collaborator-fault.ts";
import { childFault, lineageFault, nameFault } from "./lineage.ts";
import type { ChangeRule } from "./lineage.ts";
import { missionFault } from "./mission-fault.ts";

const childTypes: Readonly<Record<string, readonly string[]>> = {
  [organization.type]: [project.type, collaborator.type],
  [project.type]: [mission.type],
  [mission.type]: [assignment.type],
};

/** A resource with children cannot be deleted: they would be orphaned. */
const childless: ChangeRule = ({ type, next }, { state, id }) =>
  next === undefined ? childFault(state, childTypes[type] ?? [], id) : undefined;

function planningKind(resource: Resource, rules: readonly ChangeRule[]): Kind {
  const { type, fixed, fields, shown } = resource;
  const value = Type.Object(
    { ...fixed, ...fields, ...shown, archived: Type.Boolean() },
    { additionalProperties: false },
  );
  return defineKind({
    type,
    codes: resource.pack,
    value,
    rule: (next, previous, context) => {
      const change = { type, next: next as JsonObject | undefined, previous: previous as JsonObject | undefined };
      for (const rule of [lineageFault, ...rules, childless]) {
        const fault = rule(change, context);
        if (fault !== undefined) return fault;
      }
      return undefined;
    },
  });
}

export const planningKinds: readonly Kind[] = [
  planningKind(organization, [nameFault]),
  planningKind(project, [nameFault]),
  planningKind(collaborator, [nameFault, collaboratorFault]),
  planningKind(mission, [nameFault, missionFault]),
  planningKind(assignment, [assignmentFault]),
];
