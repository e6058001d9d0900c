// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { Static } from "typebox";
import type { programsProblemData } from "../../contract/packs/programs-problem-data.ts";
import { problemGuard } from "../problem-guard.ts";
import type { ProblemGuard } from "../problem-guard.ts";
import type { ClientForm } from "./client-form.ts";

type Data = typeof programsProblemData;
type Guard<Code extends keyof Data> = ProblemGuard<Code, ClientForm<Static<Data[Code]>>>;

export const isProgramsOff: Guard<"programs.off"> = /* @__PURE__ */ problemGuard("programs.off");
export const isProgramsOwnOperations: Guard<"programs.own_operations"> = /* @__PURE__ */ problemGuard("programs.own_operations");
export const isProgramsLockRequired: Guard<"programs.lock_required"> = /* @__PURE__ */ problemGuard("programs.lock_required");
export const isProgramsNotFound: Guard<"programs.not_found"> = /* @__PURE__ */ problemGuard("programs.not_found");
export const isProgramsHashesRequired: Guard<"programs.hashes_required"> = /* @__PURE__ */ problemGuard("programs.hashes_required");
export const isProgramsHashConflict: Guard<"programs.hash_conflict"> = /* @__PURE__ */ problemGuard("programs.hash_conflict");
export const isProgramsStructureLocked: Guard<"programs.structure_locked"> = /* @__PURE__ */ problemGuard("programs.structure_locked");
export const isProgramsTextInvalid: Guard<"programs.text_invalid"> = /* @__PURE__ */ problemGuard("programs.text_invalid");
export const isProgramsVerificationFailed: Guard<"programs.verification_failed"> = /* @__PURE__ */ problemGuard("programs.verification_failed");
export const isProgramsCheckTooLarge: Guard<"programs.check_too_large"> = /* @__PURE__ */ problemGuard("programs.check_too_large");
export const isProgramsUndoBlocked: Guard<"programs.undo_blocked"> = /* @__PURE__ */ problemGuard("programs.undo_blocked");
export const isProgramsNothingToUndo: Guard<"programs.nothing_to_undo"> = /* @__PURE__ */ problemGuard("programs.nothing_to_undo");
export const isProgramsNameTaken: Guard<"programs.name_taken"> = /* @__PURE__ */ problemGuard("programs.name_taken");
export const isProgramsLimitReached: Guard<"programs.limit_reached"> = /* @__PURE__ */ problemGuard("programs.limit_reached");
export const isProgramsTooManyConflicts: Guard<"programs.too_many_conflicts"> = /* @__PURE__ */ problemGuard("programs.too_many_conflicts");
