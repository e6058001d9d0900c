import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import { gap } from "./intent-table.ts";

/**
 * A correction of an intent. Its data is in its entry alone, so that the payload can be erased. In the value of the intent
 * a thousand corrections would make each further one slow.
 */
export interface CorrectionRow {
  readonly intent: string;
  /** The id of the correction. */
  readonly id: string;
  /** Its number in the history of the intent, from 1. */
  readonly number: number;
  readonly position: number;
  readonly time: number;
}

function correctionKey(intent: string, id: string): string {
  return `${intent}${gap}${id}`;
}

function numberKey(intent: string, number: number): string {
  return `${intent}${gap}${String(number).padStart(6, "0")}`;
}

/** The key is the number, so that a reply shows the newest corrections without a scan. */
export const correctionTable: TableSpec<CorrectionRow, "number" | "id"> = {
  name: "intent-corrections",
  boundedBy: "quota",
  key: (row) => numberKey(row.intent, row.number),
  sorts: { number: (row) => numberKey(row.intent, row.number), id: (row) => correctionKey(row.intent, row.id) },
  uniqueSorts: ["number", "id"],
  bytes: (row) => 400 + 4 * row.intent.length,
};

export function findCorrection(state: StateReader, intent: string, id: string): CorrectionRow | undefined {
  return state.rows(correctionTable).scan("id", { prefix: correctionKey(intent, id), limit: 1 })[0];
}

/** The newest of a number of corrections, by key. The corrections of a deleted intent are absent. */
export function lastCorrections(
  state: StateReader,
  intent: string,
  { count, limit }: { readonly count: number; readonly limit: number },
): readonly CorrectionRow[] {
  const rows = state.rows(correctionTable);
  const first = Math.max(1, count - limit + 1);
  const numbers = Array.from({ length: count - first + 1 }, (_, index) => first + index);
  return numbers.map((number) => rows.get(numberKey(intent, number))).filter((row) => row !== undefined);
}

/** The newest corrections, in the order of their numbers. */
export function newestCorrections(state: StateReader, intent: string, limit: number): readonly CorrectionRow[] {
  if (limit === 0) return [];
  const prefix = `${intent}${gap}`;
  return state.rows(correctionTable).scan("number", { prefix, limit, descending: true }).toReversed();
}

/** Corrections after a number, in order. */
export function correctionsAfter(
  state: StateReader,
  intent: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): readonly CorrectionRow[] {
  return state
    .rows(correctionTable)
    .scan("number", { prefix: `${intent}${gap}`, after: numberKey(intent, after), limit });
}
