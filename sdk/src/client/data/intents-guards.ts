// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { Static } from "typebox";
import type { intentsProblemData } from "../../contract/packs/intents-problem-data.ts";
import { problemGuard } from "../problem-guard.ts";
import type { ProblemGuard } from "../problem-guard.ts";
import type { ClientForm } from "./client-form.ts";

type Data = typeof intentsProblemData;
type Guard<Code extends keyof Data> = ProblemGuard<Code, ClientForm<Static<Data[Code]>>>;

export const isIntentsOff: Guard<"intents.off"> = /* @__PURE__ */ problemGuard("intents.off");
export const isIntentsOwnOperations: Guard<"intents.own_operations"> = /* @__PURE__ */ problemGuard("intents.own_operations");
export const isIntentsLockRequired: Guard<"intents.lock_required"> = /* @__PURE__ */ problemGuard("intents.lock_required");
export const isIntentsLockTimeout: Guard<"intents.lock_timeout"> = /* @__PURE__ */ problemGuard("intents.lock_timeout");
export const isIntentsTransitionInvalid: Guard<"intents.transition_invalid"> = /* @__PURE__ */ problemGuard("intents.transition_invalid");
export const isIntentsStatusUnknown: Guard<"intents.status_unknown"> = /* @__PURE__ */ problemGuard("intents.status_unknown");
export const isIntentsIdInvalid: Guard<"intents.id_invalid"> = /* @__PURE__ */ problemGuard("intents.id_invalid");
export const isIntentsRetired: Guard<"intents.retired"> = /* @__PURE__ */ problemGuard("intents.retired");
export const isIntentsStrategyFixed: Guard<"intents.strategy_fixed"> = /* @__PURE__ */ problemGuard("intents.strategy_fixed");
export const isIntentsTooManyCorrections: Guard<"intents.too_many_corrections"> = /* @__PURE__ */ problemGuard("intents.too_many_corrections");
export const isIntentsRunOpen: Guard<"intents.run_open"> = /* @__PURE__ */ problemGuard("intents.run_open");
export const isIntentsPlanDiffers: Guard<"intents.plan_differs"> = /* @__PURE__ */ problemGuard("intents.plan_differs");
export const isIntentsRunEnded: Guard<"intents.run_ended"> = /* @__PURE__ */ problemGuard("intents.run_ended");
export const isIntentsStepOutOfOrder: Guard<"intents.step_out_of_order"> = /* @__PURE__ */ problemGuard("intents.step_out_of_order");
