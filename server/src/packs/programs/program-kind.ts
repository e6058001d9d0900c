import Type from "typebox";
import { defineKind } from "../../features/entities/kind.ts";
import { programType } from "./program-value.ts";

/** Programs and their items. Only the operations of the pack write them, so the check of the language is their schema. */
export const programKind = defineKind({
  type: programType,
  codes: "programs",
  ownedBy: "programs",
  needsLocks: false,
  value: Type.Object({ kind: Type.Enum(["program", "module", "type", "function"]), name: Type.String() }),
});
