/** The data of the refusals of planning, by code. */
import Type from "typebox";
import type { TProperties } from "typebox";

const open = { additionalProperties: true } as const;
const data = <Members extends TProperties>(members: Members) => Type.Object(members, open);
const text = Type.String();
const optionalText = Type.Optional(text);
const resource = data({ type: text, id: optionalText });
const range = { from: optionalText, to: optionalText };

export const planningProblemData = {
  "planning.off": data({ toggle: text }),
  "planning.archived": data({ archived: Type.Optional(resource) }),
  "planning.archive_alone": data({ field: text }),
  "planning.parent_not_found": data({ field: text, id: text }),
  "planning.name_taken": data({ name: text, taken_by: optionalText }),
  "planning.field_fixed": data({ field: text }),
  "planning.range_invalid": data({ reason: text }),
  "planning.outside_range": data({
    outside: Type.Optional(Type.Array(data({ assignment_id: optionalText, ...range }))),
    mission: Type.Optional(data({ id: text, ...range })),
  }),
  "planning.other_organization": data({ collaborator_id: text, organization_id: optionalText }),
  "planning.transition_invalid": data({
    status: text,
    wanted: text,
    allowed: Type.Array(text),
    changed: Type.Optional(Type.Array(text)),
  }),
  "planning.prerequisite_missing": data({ missing: Type.Array(text) }),
  "planning.booking_clash": data({
    clashes: Type.Array(
      data({
        collaborator_id: optionalText,
        assignment_id: optionalText,
        other_assignment_id: optionalText,
        other_mission_id: optionalText,
        ...range,
      }),
    ),
    clash_count: Type.Integer(),
  }),
  "planning.mission_closed": data({ mission_id: optionalText, status: optionalText }),
  "planning.in_use": data({ used_by: Type.Array(resource) }),
  "planning.too_many": data({ limit: Type.Integer() }),
} as const;
