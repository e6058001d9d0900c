import { newestCorrections } from "../../../packs/intents/correction-table.ts";
import { intentType } from "../../../packs/intents/intent-value.ts";
import { intentsLimits } from "../../../packs/intents/intents-limits.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { getEntity } from "../../reads/entity-reads.ts";
import { correctionsWithData } from "./correction-view.ts";

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
    const history = corrections === 0 ? [] : await correctionsWithData(engine, shown);
    return { ...outcome, data: { ...outcome.data, correction_history: history } };
  },
};
