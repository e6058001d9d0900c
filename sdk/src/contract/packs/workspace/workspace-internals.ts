/** Commands about the workspace that only Holdfast sends. */
import Type from "typebox";
import { internalOperation } from "../../operation.ts";

const closed = { additionalProperties: false } as const;

const purge = internalOperation({
  name: "workspace.purge",
  summary: "Removes up to 200 records and targets below a deleted project, map or sketch.",
  input: Type.Object({ place: Type.String({ minLength: 1, maxLength: 256 }), after: Type.Integer() }, closed),
  output: Type.Object({ removed: Type.Integer() }, closed),
  problems: ["not_due"],
});

export const workspaceInternals = { "workspace.purge": purge } as const;
