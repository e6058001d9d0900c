/** The stored value of an intent. Its newest run is whole, and earlier runs are summaries. */
import type { EndedRun, IntentRun, IntentStatus } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import type { LiveEntityRow } from "../../features/entities/entity-table.ts";
import type { StateReader } from "../../machine/state.ts";

/** A run in the value. Its key is its number. */
export type StoredRun = Omit<IntentRun, "number"> & {
  /** The version of the intent at the end of the run. */
  readonly version?: number;
};

export type StoredSummary = Omit<EndedRun, "number">;

export interface IntentValue {
  readonly status: IntentStatus;
  readonly payload: JsonObject;
  readonly technical_actor: string;
  readonly correction_count: number;
  readonly run_count: number;
  /** The number of the run that has not ended. */
  readonly open_run?: number;
  readonly runs: Readonly<Record<string, StoredRun | StoredSummary>>;
}

export const intentType = "intent";

/** An intent in the state: its entity and its value. */
export interface FoundIntent {
  readonly row: LiveEntityRow;
  readonly value: IntentValue;
}

export function findIntent(state: StateReader, id: string): FoundIntent | undefined {
  const row = findEntity(state, { type: intentType, id });
  // While a journal with erased payloads is folded, a value can be unknown until the next whole value.
  return isLive(row) && row.isErased !== true ? { row, value: valueOfRow(row) } : undefined;
}

/** The kind of intents checks every value, so the value has this shape. */
function valueOfRow(row: LiveEntityRow): IntentValue {
  return row.value as unknown as IntentValue;
}

/** The newest run, open or ended; undefined if there was none. */
export function newestRun({ runs, run_count: count }: IntentValue): StoredRun | undefined {
  return runs[String(count)] as StoredRun | undefined;
}

/** The run that has not ended. */
export function openRun(value: IntentValue): StoredRun | undefined {
  return value.open_run === undefined ? undefined : newestRun(value);
}

export function intentPath(id: string): string {
  return `${intentType}/${id}`;
}
