/** The corrections of an intent with their data, which only their entries have. */
import { defined } from "@holdfast/sdk/base/defined";
import { isObject } from "@holdfast/sdk/json/json";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Engine } from "../../../engine/engine.ts";
import { missing } from "../../../features/entities/change.ts";
import { findEntity, isLive } from "../../../features/entities/entity-table.ts";
import type { Entry } from "../../../machine/entry.ts";
import { done } from "../../../machine/refusal.ts";
import { correctionsAfter, newestCorrections } from "../../../packs/intents/correction-table.ts";
import type { CorrectionRow } from "../../../packs/intents/correction-table.ts";
import { intentType } from "../../../packs/intents/intent-value.ts";
import { intentsLimits } from "../../../packs/intents/intents-limits.ts";
import { getEntity } from "../../reads/entity-reads.ts";
import type { AppRead } from "../../reads/app-read.ts";

/** A correction without the data of its entry. */
export function correctionView({ id, number, time, position }: CorrectionRow): JsonObject {
  return { correction_id: id, number, applied_at: new Date(time).toISOString(), position };
}

interface GetInput {
  readonly id: string;
  readonly version?: number;
  readonly position?: number;
  readonly corrections?: number;
}

/** An intent with the data of its newest corrections. A past version shows the corrections up to its entry. */
export const getIntent: AppRead = {
  view: "keys",
  async run(input: GetInput, { services: { engine } }) {
    const { corrections = intentsLimits.correctionsShown, ...target } = input;
    const outcome = await getEntity(engine, { ...target, type: intentType });
    if (outcome.kind === "refusal") return outcome;
    const { position } = outcome.data as { readonly position: number };
    const isPast = input.version !== undefined || input.position !== undefined;
    const rows = await engine.scan((state) => newestCorrections(state, input.id, intentsLimits.corrections));
    const shown = rows.filter((row) => !isPast || row.position <= position).slice(-corrections);
    const history = corrections === 0 ? [] : await withData(engine, shown);
    return { ...outcome, data: { ...outcome.data, correction_history: history } };
  },
};

interface ListInput {
  readonly id: string;
  readonly after?: number;
  readonly limit?: number;
}

export const listCorrections: AppRead = {
  view: "scan",
  async run({ id, after = 0, limit = 100 }: ListInput, { state, services: { engine } }) {
    const target = { type: intentType, id };
    const row = findEntity(state, target);
    if (!isLive(row)) return missing(row, target).outcome;
    const rows = correctionsAfter(state, id, { after, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const items = await withData(engine, page);
    return done({ items, next: rows.length > limit ? (page.at(-1)?.number ?? null) : null });
  },
};

async function withData(engine: Engine, rows: readonly CorrectionRow[]): Promise<JsonObject[]> {
  const entries = await engine.entriesAt(rows.map(({ position }) => position));
  return rows.map((row, index) => ({ ...correctionView(row), ...dataOf(entries[index]) }));
}

/** The members of a correction in the input of its entry. */
function dataOf(entry: Entry | undefined): JsonObject {
  if (entry === undefined) return {};
  if (entry.erased !== undefined) return { erased: true };
  const { input } = entry;
  if (!isObject(input)) return {};
  const { diff, source, reason, metadata, occasion } = (isObject(input["correction"]) ? input["correction"] : input) as JsonObject;
  return defined({ source, reason, diff, metadata, occasion });
}
