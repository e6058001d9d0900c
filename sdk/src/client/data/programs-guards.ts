// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { Static } from "typebox";
import type { programsProblemData } from "../../contract/packs/programs-problem-data.ts";
import { problemGuard } from "../problem-guard.ts";
import type { ProblemGuard } from "../problem-guard.ts";
import type { ClientForm } from "./client-form.ts";

type Data = typeof programsProblemData;
type Guard<Code extends keyof Data> = ProblemGuard<Code, ClientForm<Static<Data[Code]>>>;

export const isProgramsOff: Guard<"programs.off"> = problemGuard("programs.off");
export const isProgramsOwnOperations: Guard<"programs.own_operations"> = problemGuard("programs.own_operations");
export const isProgramsLockRequired: Guard<"programs.lock_required"> = problemGuard("programs.lock_required");
export const isProgramsNotFound: Guard<"programs.not_found"> = problemGuard("programs.not_found");
export const isProgramsHashesRequired: Guard<"programs.hashes_required"> = problemGuard("programs.hashes_required");
export const isProgramsHashConflict: Guard<"programs.hash_conflict"> = problemGuard("programs.hash_conflict");
export const isProgramsStructureLocked: Guard<"programs.structure_locked"> = problemGuard("programs.structure_locked");
export const isProgramsTextInvalid: Guard<"programs.text_invalid"> = problemGuard("programs.text_invalid");
export const isProgramsVerificationFailed: Guard<"programs.verification_failed"> = problemGuard("programs.verification_failed");
export const isProgramsCheckTooLarge: Guard<"programs.check_too_large"> = problemGuard("programs.check_too_large");
export const isProgramsUndoBlocked: Guard<"programs.undo_blocked"> = problemGuard("programs.undo_blocked");
export const isProgramsNothingToUndo: Guard<"programs.nothing_to_undo"> = problemGuard("programs.nothing_to_undo");
export const isProgramsNameTaken: Guard<"programs.name_taken"> = problemGuard("programs.name_taken");
export const isProgramsInUse: Guard<"programs.in_use"> = problemGuard("programs.in_use");
export const isProgramsLimitReached: Guard<"programs.limit_reached"> = problemGuard("programs.limit_reached");
export const isProgramsTooManyConflicts: Guard<"programs.too_many_conflicts"> = problemGuard("programs.too_many_conflicts");
