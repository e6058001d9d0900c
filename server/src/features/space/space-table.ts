import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";

/** An epoch and the position at which it began. */
export interface Epoch {
  readonly epoch: number;
  readonly from: number;
}

export interface SpaceRow {
  readonly key: string;
  /** Oldest first. One per restored history, so there are few. */
  readonly epochs: readonly Epoch[];
}

export const spaceKey = "space";

export const spaceTable: TableSpec<SpaceRow, never> = { name: "space", key: (row) => row.key, sorts: {} };

export const firstEpoch: Epoch = { epoch: 1, from: 1 };

function epochsOf(state: StateReader): readonly Epoch[] {
  return state.rows(spaceTable).get(spaceKey)?.epochs ?? [firstEpoch];
}

/** The epoch in which things happen now. */
export function currentEpoch(state: StateReader): number {
  return epochsOf(state).at(-1)?.epoch ?? firstEpoch.epoch;
}

/** The epoch in which the entry at a position was written. */
export function epochAt(state: StateReader, position: number): number {
  return epochsOf(state).findLast(({ from }) => from <= position)?.epoch ?? firstEpoch.epoch;
}

/**
 * Whether a token of this epoch and position is about the history that this journal holds. A token of an older epoch
 * is good only up to where the next one began: what came after that was lost.
 */
export function isInHistory(state: StateReader, token: { epoch: number; position: number }): boolean {
  const epochs = epochsOf(state);
  const index = epochs.findIndex(({ epoch }) => epoch === token.epoch);
  if (index < 0) return token.position === 0;
  const next = epochs[index + 1];
  return next === undefined || token.position < next.from;
}
