/** The corrections of an intent. Only their entries have their data. */
import { defined } from "@holdfast/sdk/base/defined";
import { isObject } from "@holdfast/sdk/json/json";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Engine } from "../../../engine/engine.ts";
import type { Entry } from "../../../machine/entry.ts";
import type { CorrectionRow } from "../../../packs/intents/correction-table.ts";

/** A correction without the data of its entry. */
export function correctionView({ id, number, time, position }: CorrectionRow): JsonObject {
  return { correction_id: id, number, applied_at: new Date(time).toISOString(), position };
}

/** Corrections with the data of their entries. */
export async function correctionsWithData(engine: Engine, rows: readonly CorrectionRow[]): Promise<JsonObject[]> {
  const entries = await engine.entriesAt(rows.map(({ position }) => position));
  return rows.map((row, index) => ({ ...correctionView(row), ...dataOf(entries[index]) }));
}

/** The members of a correction in the input of its entry. */
function dataOf(entry: Entry | undefined): JsonObject {
  if (entry === undefined) return {};
  if (entry.erased !== undefined) return { erased: true };
  const { input } = entry;
  if (!isObject(input)) return {};
  const { diff, source, reason, metadata, occasion } = isObject(input["correction"]) ? input["correction"] : input;
  return defined({ source, reason, diff, metadata, occasion });
}
