import type { SpaceSettings } from "@holdfast/sdk/contract";
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";

/** An epoch and the position at which it began. */
interface Epoch {
  readonly epoch: number;
  readonly from: number;
}

/** The row of the whole space. It exists from the first change on. */
export interface SpaceRow {
  readonly key: string;
  /** Oldest first. One per restored history, so there are few. */
  readonly epochs: readonly Epoch[];
  readonly rules: number;
  readonly settings: SpaceSettings;
  /** The last position whose state hash is recorded. */
  readonly hashedTo: number;
}

/** An erased entry, and the entry that erased it. */
interface Erasure {
  readonly position: number;
  readonly by: number;
}

export const erasureTable: TableSpec<Erasure, "by"> = {
  name: "erasures",
  boundedBy: "operators",
  key: (row) => String(row.position),
  sorts: { by: (row) => sortable(row.by) },
};

function sortable(number: number): string {
  return String(number).padStart(16, "0");
}

/**
 * The erasures that entries after a position requested. The cost depends on their number, not on all erasures of the
 * journal.
 */
export function erasuresAfter(state: StateReader, position: number): readonly Erasure[] {
  return state.rows(erasureTable).scan("by", { after: sortable(position), limit: Infinity });
}

/** The entry that erased the one at a position, if any. */
export function erasedBy(state: StateReader, position: number): number | undefined {
  return state.rows(erasureTable).get(String(position))?.by;
}

const spaceKey = "space";

export const spaceTable: TableSpec<SpaceRow, never> = {
  name: "space",
  boundedBy: "one",
  key: (row) => row.key,
  sorts: {},
};

const firstRow: SpaceRow = {
  key: spaceKey,
  epochs: [{ epoch: 1, from: 1 }],
  rules: 1,
  settings: {
    idempotency_window_ms: 24 * 60 * 60 * 1000,
    state_bytes_max: 1024 ** 3,
    paths_per_principal_max: 250_000,
    state_hash_every: 50_000,
    component_toggles: {},
  },
  hashedTo: 0,
};

export function spaceRow(state: StateReader): SpaceRow {
  return state.rows(spaceTable).get(spaceKey) ?? firstRow;
}

/** The current epoch. */
export function currentEpoch(state: StateReader): number {
  return spaceRow(state).epochs.at(-1)?.epoch ?? 1;
}

/** The epoch in which the entry at a position was written. */
export function epochAt(state: StateReader, position: number): number {
  return spaceRow(state).epochs.findLast(({ from }) => from <= position)?.epoch ?? 1;
}

/**
 * Whether a token of this epoch and position belongs to the history of this journal. A token of an older epoch is valid
 * only up to the start of the next one, since later entries of its epoch were lost.
 */
export function isInHistory(state: StateReader, token: { epoch: number; position: number }): boolean {
  const { epochs } = spaceRow(state);
  const index = epochs.findIndex(({ epoch }) => epoch === token.epoch);
  if (index < 0) return token.position === 0;
  const next = epochs[index + 1];
  return next === undefined || token.position < next.from;
}
