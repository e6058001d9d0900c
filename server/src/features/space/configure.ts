import { defined } from "@holdfast/sdk/base/defined";
import type { spaceOperations } from "@holdfast/sdk/contract";
import { sameJson } from "@holdfast/sdk/json/same-json";
import { done } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { spaceRow } from "./space-table.ts";

/** Equal settings leave no entry, so every start may send its configuration again. */
export const configure: Decide<(typeof spaceOperations)["configure"]> = (input, { state }) => {
  const { settings } = spaceRow(state);
  const toggles = { ...settings.component_toggles, ...input.settings.component_toggles };
  const next = { ...settings, ...input.settings, component_toggles: toggles };
  if (sameJson(settings, next)) {
    return { outcome: done({ settings: settings, changed: false }), events: [] };
  }
  const data = defined({ settings: input.settings, reason: input.reason });
  return {
    outcome: done({ settings: next, changed: true }),
    events: [{ type: "space.configured", subject: "space", data }],
  };
};
