import type { Engine } from "../../../engine/engine.ts";
import { newestCorrections } from "../../../packs/intents/correction-table.ts";
import type { CorrectionRow } from "../../../packs/intents/correction-table.ts";
import { intentType } from "../../../packs/intents/intent-value.ts";
import type { IntentValue } from "../../../packs/intents/intent-value.ts";
import { intentsLimits } from "../../../packs/intents/intents-limits.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { getEntity } from "../../reads/entity-reads.ts";
import { correctionsWithData } from "./correction-view.ts";
import { pastCorrections } from "./past-corrections.ts";

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
    const { position, value } = outcome.data as unknown as ReadIntent;
    const count = value.correction_count;
    const rows = await correctionsAt(engine, input.id, { count, position, limit: corrections });
    return { ...outcome, data: { ...outcome.data, correction_history: await correctionsWithData(engine, rows) } };
  },
};

interface ReadIntent {
  readonly position: number;
  readonly value: IntentValue;
}

/** The newest corrections of a version. Those of a retired or deleted intent are in the journal alone. */
async function correctionsAt(
  engine: Engine,
  id: string,
  range: { readonly count: number; readonly position: number; readonly limit: number },
): Promise<readonly CorrectionRow[]> {
  const { count, position, limit } = range;
  if (count === 0 || limit === 0) return [];
  const rows = await engine.scan((state) => newestCorrections(state, id, intentsLimits.corrections));
  const known = rows.filter((row) => row.position <= position);
  return known.length === count ? known.slice(-limit) : pastCorrections(engine, id, range);
}
