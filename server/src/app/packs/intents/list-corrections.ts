import { missing } from "../../../features/entities/change.ts";
import { findEntity, isLive } from "../../../features/entities/entity-table.ts";
import { done } from "../../../machine/refusal.ts";
import type { Engine } from "../../../engine/engine.ts";
import { correctionsAfter } from "../../../packs/intents/correction-table.ts";
import type { CorrectionRow } from "../../../packs/intents/correction-table.ts";
import { intentType } from "../../../packs/intents/intent-value.ts";
import type { IntentValue } from "../../../packs/intents/intent-value.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { getEntity } from "../../reads/entity-reads.ts";
import { correctionsWithData } from "./correction-view.ts";
import { pastCorrections } from "./past-corrections.ts";

interface CorrectionsPage {
  readonly id: string;
  readonly after?: number;
  readonly limit?: number;
}

/** The corrections of a retired intent after a number; undefined if there is no such intent. */
async function retiredCorrections(
  engine: Engine,
  id: string,
  after: number,
): Promise<readonly CorrectionRow[] | undefined> {
  const outcome = await getEntity(engine, { type: intentType, id });
  if (outcome.kind === "refusal") return undefined;
  const { position, value } = outcome.data as unknown as { readonly position: number; readonly value: IntentValue };
  const count = value.correction_count;
  return pastCorrections(engine, id, { count, position, limit: Math.max(0, count - after) });
}

export const listCorrections: AppRead = {
  view: "scan",
  async run({ id, after = 0, limit = 100 }: CorrectionsPage, { state, services: { engine } }) {
    const target = { type: intentType, id };
    const row = findEntity(state, target);
    if (row !== undefined && !isLive(row)) return missing(row, target).outcome;
    const kept = row === undefined ? undefined : correctionsAfter(state, id, { after, limit: limit + 1 });
    const rows = kept ?? (await retiredCorrections(engine, id, after));
    if (rows === undefined) return missing(undefined, target).outcome;
    const page = rows.slice(0, limit);
    const items = await correctionsWithData(engine, page);
    return done({ items, next: rows.length > limit ? (page.at(-1)?.number ?? null) : null });
  },
};
