/** The folds of events about the space. They never change; a new meaning is a new event type. */
import type { SpaceSettings } from "@holdfast/sdk/contract";
import type { Event } from "../../machine/entry.ts";
import type { FoldedEntry, Fold } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { erasureTable, spaceRow, spaceTable } from "./space-table.ts";
import type { SpaceRow } from "./space-table.ts";

export const spaceFolds: Readonly<Record<string, Fold>> = {
  "space.configured": foldConfigured,
  "space.epoch_raised": foldEpochRaised,
  "payload.erased": foldErased,
  "space.rules_raised": (state, event) => {
    change(state, { rules: event.data["rules"] as number });
  },
  // The engine compares the hash. The state only records the last hashed position.
  "space.state_hashed": (state, event) => {
    change(state, { hashedTo: event.data["position"] as number });
  },
};

function foldErased(state: StateWriter, event: Event, entry: FoldedEntry): void {
  state.rows(erasureTable).put({ position: event.data["position"] as number, by: entry.position });
}

function foldConfigured(state: StateWriter, event: Event): void {
  const given = event.data["settings"] as Partial<SpaceSettings>;
  const { settings } = spaceRow(state);
  const toggles = { ...settings.component_toggles, ...given.component_toggles };
  change(state, { settings: { ...settings, ...given, component_toggles: toggles } });
}

function foldEpochRaised(state: StateWriter, event: Event, entry: FoldedEntry): void {
  const epoch = { epoch: event.data["epoch"] as number, from: entry.position };
  change(state, { epochs: [...spaceRow(state).epochs, epoch] });
}

function change(state: StateWriter, changes: Partial<SpaceRow>): void {
  state.rows(spaceTable).put({ ...spaceRow(state), ...changes });
}
