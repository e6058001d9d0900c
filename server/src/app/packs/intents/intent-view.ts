import { defined } from "@holdfast/sdk/base/defined";
import { lastCorrections } from "../../../packs/intents/correction-table.ts";
import type { IntentValue } from "../../../packs/intents/intent-value.ts";
import { newestRun } from "../../../packs/intents/intent-value.ts";
import { intentsLimits } from "../../../packs/intents/intents-limits.ts";
import type { View } from "../view.ts";
import { correctionView } from "./correction-view.ts";

/** An intent as its operations show it. A read adds the data of its corrections, which only their entries have. */
export const intentView: View = (entity, { state }) => {
  const value = entity["value"] as unknown as IntentValue;
  const { runs, open_run: _open, run_count, ...fields } = value;
  const history =
    entity["correction_history"] ??
    lastCorrections(state, entity["id"] as string, {
      count: value.correction_count,
      limit: intentsLimits.correctionsShown,
    }).map(correctionView);
  const newest = newestRun(value);
  const run = newest === undefined ? undefined : { number: run_count, ...withoutVersion(newest) };
  const earlier = Object.entries(runs)
    .map(([number, summary]) => ({ number: Number(number), ...summary }))
    .filter(({ number }) => number !== run_count)
    .toSorted((a, b) => a.number - b.number);
  const shown = { ...fields, correction_history: history, run_count, run, runs: earlier };
  return defined({ ...shown, updated_at: entity["changed_at"] });
};

function withoutVersion<Run extends { readonly version?: number }>({ version: _version, ...run }: Run) {
  return run;
}
