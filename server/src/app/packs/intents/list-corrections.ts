import { missing } from "../../../features/entities/change.ts";
import { findEntity, isLive } from "../../../features/entities/entity-table.ts";
import { done } from "../../../machine/refusal.ts";
import { correctionsAfter } from "../../../packs/intents/correction-table.ts";
import { intentType } from "../../../packs/intents/intent-value.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { correctionsWithData } from "./correction-view.ts";

interface CorrectionsPage {
  readonly id: string;
  readonly after?: number;
  readonly limit?: number;
}

export const listCorrections: AppRead = {
  view: "scan",
  async run({ id, after = 0, limit = 100 }: CorrectionsPage, { state, services: { engine } }) {
    const target = { type: intentType, id };
    const row = findEntity(state, target);
    if (!isLive(row)) return missing(row, target).outcome;
    const rows = correctionsAfter(state, id, { after, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const items = await correctionsWithData(engine, page);
    return done({ items, next: rows.length > limit ? (page.at(-1)?.number ?? null) : null });
  },
};
