import { spaceOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../machine/entry.ts";
import type { EntryFacts, Feature } from "../../machine/feature.ts";
import type { MachineSettings } from "../../machine/machine.ts";
import type { StateReader, StateWriter } from "../../machine/state.ts";
import { rulesOf } from "../rule-of.ts";
import { raiseEpoch } from "./raise-epoch.ts";
import { firstEpoch, spaceKey, spaceTable } from "./space-table.ts";

/** What holds for the whole space: its epochs, the number of its rules, the settings that decisions read. */
export const spaceFeature: Feature = {
  name: "space",
  needs: [],
  tables: [spaceTable],
  rules: rulesOf(spaceOperations, { "raise-epoch": raiseEpoch }),
  folds: { "space.epoch_raised": foldEpochRaised },
  reactions: {},
  timers: [],
};

/** Rules 1 are the first; they stay callable when there are others. */
const settings: MachineSettings = { rules: 1, idempotencyWindowMs: 24 * 60 * 60 * 1000 };

export function spaceSettings(_state: StateReader): MachineSettings {
  return settings;
}

function foldEpochRaised(state: StateWriter, event: Event, entry: EntryFacts): void {
  const rows = state.rows(spaceTable);
  const epochs = rows.get(spaceKey)?.epochs ?? [firstEpoch];
  rows.put({ key: spaceKey, epochs: [...epochs, { epoch: event.data["epoch"] as number, from: entry.position }] });
}
