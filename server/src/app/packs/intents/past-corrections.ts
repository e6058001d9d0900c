import type { Engine } from "../../../engine/engine.ts";
import type { Entry } from "../../../machine/entry.ts";
import type { CorrectionRow } from "../../../packs/intents/correction-table.ts";
import { correctionOf } from "../../../packs/intents/intent-folds.ts";
import { intentPath } from "../../../packs/intents/intent-value.ts";
import { subjectHistory } from "../../reads/subject-history.ts";

interface CorrectionRange {
  /** The number of corrections that the intent had. */
  readonly count: number;
  /** The position of the version whose corrections are read. */
  readonly position: number;
  /** Maximum corrections, the newest ones. */
  readonly limit: number;
}

/** The corrections of an intent that the state has forgotten, from the journal, in the order of their numbers. */
export async function pastCorrections(
  engine: Engine,
  id: string,
  { count, position, limit }: CorrectionRange,
): Promise<readonly CorrectionRow[]> {
  const rows: CorrectionRow[] = [];
  const wanted = Math.min(count, limit);
  const query = { subject: intentPath(id), limit: 100, isSelected: (type: string) => type === "intent.reevaluated" };
  for (let before: number | undefined = position + 1; rows.length < wanted;) {
    const { entries, next } = await subjectHistory(engine, { ...query, before });
    for (const entry of entries) {
      const row = rowOf(entry, id, count - rows.length);
      if (row !== undefined && rows.length < wanted) rows.push(row);
    }
    if (next === null) break;
    before = next;
  }
  return rows.toReversed();
}

function rowOf({ events, position, time }: Entry, intent: string, number: number): CorrectionRow | undefined {
  const kept = events.find(
    ({ type, subject }) => type === "intent.correction_kept" && correctionOf(subject).intent === intent,
  );
  return kept === undefined ? undefined : { intent, id: correctionOf(kept.subject).id, number, position, time };
}
