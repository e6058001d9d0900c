import { spaceOperations } from "@holdfast/sdk/contract";
import type { Feature } from "../../machine/feature.ts";
import type { MachineSettings } from "../../machine/machine.ts";
import type { StateReader } from "../../machine/state.ts";
import { rulesOf } from "../rule-of.ts";
import { configure } from "./configure.ts";
import { erasePayload } from "./erase-payload.ts";
import { spaceFolds } from "./space-folds.ts";
import { raiseEpoch } from "./raise-epoch.ts";
import { raiseRules } from "./raise-rules.ts";
import { recordStateHash } from "./record-state-hash.ts";
import { erasureTable, spaceRow, spaceTable } from "./space-table.ts";

/** The state of the whole space: its epochs, its rules number and the settings that decisions read. */
export const spaceFeature: Feature = {
  name: "space",
  needs: [],
  tables: [spaceTable, erasureTable],
  rules: rulesOf(spaceOperations, {
    configure,
    "erase-payload": erasePayload,
    "raise-epoch": raiseEpoch,
    "raise-rules": raiseRules,
    "record-state-hash": recordStateHash,
  }),
  folds: spaceFolds,
  reactions: {},
  timers: [],
};

export function machineSettings(state: StateReader): MachineSettings {
  const { rules, settings } = spaceRow(state);
  return {
    rules,
    idempotencyWindowMs: settings.idempotency_window_ms,
    stateHashEvery: settings.state_hash_every,
  };
}
