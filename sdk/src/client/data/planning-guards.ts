// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { Static } from "typebox";
import type { planningProblemData } from "../../contract/packs/planning-problem-data.ts";
import { problemGuard } from "../problem-guard.ts";
import type { ProblemGuard } from "../problem-guard.ts";
import type { ClientForm } from "./client-form.ts";

type Data = typeof planningProblemData;
type Guard<Code extends keyof Data> = ProblemGuard<Code, ClientForm<Static<Data[Code]>>>;

export const isPlanningOff: Guard<"planning.off"> = /* @__PURE__ */ problemGuard("planning.off");
export const isPlanningArchived: Guard<"planning.archived"> = /* @__PURE__ */ problemGuard("planning.archived");
export const isPlanningArchiveAlone: Guard<"planning.archive_alone"> = /* @__PURE__ */ problemGuard("planning.archive_alone");
export const isPlanningParentNotFound: Guard<"planning.parent_not_found"> = /* @__PURE__ */ problemGuard("planning.parent_not_found");
export const isPlanningNameTaken: Guard<"planning.name_taken"> = /* @__PURE__ */ problemGuard("planning.name_taken");
export const isPlanningFieldFixed: Guard<"planning.field_fixed"> = /* @__PURE__ */ problemGuard("planning.field_fixed");
export const isPlanningRangeInvalid: Guard<"planning.range_invalid"> = /* @__PURE__ */ problemGuard("planning.range_invalid");
export const isPlanningOutsideRange: Guard<"planning.outside_range"> = /* @__PURE__ */ problemGuard("planning.outside_range");
export const isPlanningOtherOrganization: Guard<"planning.other_organization"> = /* @__PURE__ */ problemGuard("planning.other_organization");
export const isPlanningTransitionInvalid: Guard<"planning.transition_invalid"> = /* @__PURE__ */ problemGuard("planning.transition_invalid");
export const isPlanningPrerequisiteMissing: Guard<"planning.prerequisite_missing"> = /* @__PURE__ */ problemGuard("planning.prerequisite_missing");
export const isPlanningBookingClash: Guard<"planning.booking_clash"> = /* @__PURE__ */ problemGuard("planning.booking_clash");
export const isPlanningMissionClosed: Guard<"planning.mission_closed"> = /* @__PURE__ */ problemGuard("planning.mission_closed");
export const isPlanningInUse: Guard<"planning.in_use"> = /* @__PURE__ */ problemGuard("planning.in_use");
export const isPlanningTooMany: Guard<"planning.too_many"> = /* @__PURE__ */ problemGuard("planning.too_many");
