/** Commands that only Holdfast sends. */
import Type from "typebox";
import { internalOperation } from "../../operation.ts";
import { programIdOf } from "./program.ts";

const closed = { additionalProperties: false } as const;

const removeItems = internalOperation({
  name: "programs.remove-items",
  summary: "Removes items of a deleted program.",
  input: Type.Object({ program_id: programIdOf }, closed),
  output: Type.Object({ removed: Type.Integer({ minimum: 0 }) }, closed),
  problems: [],
});

export const programInternals = { "programs.remove-items": removeItems } as const;
