/** The data of the refusals of the workspace, by code. */
import Type from "typebox";
import type { TProperties } from "typebox";
import { holder } from "../grant.ts";

const open = { additionalProperties: true } as const;
const data = <Members extends TProperties>(members: Members) => Type.Object(members, open);
const text = Type.String();
const number = Type.Number();
const optionalText = Type.Optional(text);
const need = { path: text, mode: text, scope: text };
const question = { question: text, choices: Type.Array(data({})) };

export const workspaceProblemData = {
  "workspace.off": data({ toggle: text }),
  "workspace.own_operations": data({ type: optionalText }),
  "workspace.lock_required": data({
    missing: Type.Optional(Type.Array(data({ ...need, holders: Type.Array(holder) }))),
    acquire: Type.Optional(Type.Array(data(need))),
  }),
  "workspace.scope_ambiguous": data({
    ...question,
    sketches: Type.Array(data({ sketch: text, objects: number })),
  }),
  "workspace.root_ambiguous": data({ ...question, roots: Type.Array(text) }),
  "workspace.approval_required": data({ ...question, action: text, project: text }),
  "workspace.role_missing": data({ project: text, needs: text, role: Type.Union([text, Type.Null()]) }),
  "workspace.approval_invalid": data({ approval: text, reason: text }),
  "workspace.job_required": data({ project: text, reason: text }),
  "workspace.restoring": data({ project: text, job: text, retry_after_ms: number }),
  "workspace.purging": data({ place: text, retry_after_ms: number }),
  "workspace.parent_not_found": data({ type: text, id: text }),
  "workspace.geometry_invalid": data({ reason: text, object: optionalText, index: Type.Optional(number) }),
  "workspace.too_many": data({ counted: text, limit: number }),
  "workspace.index_busy": data({ retry_after_ms: number }),
  "workspace.in_use": data({ target: text }),
  "workspace.last_owner": data({ project: text, principal_name: text }),
} as const;
