/** Ended intents leave the state after a time that operators set. Their history stays, and reads find it. */
import { retireEntity } from "../../features/entities/retire-entity.ts";
import type { DecideContext, Decision, Timer } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import type { StateReader } from "../../machine/state.ts";
import { intentNumbers } from "./intent-settings-table.ts";
import { intentTable } from "./intent-table.ts";
import type { IntentRow } from "./intent-table.ts";
import { findIntent } from "./intent-value.ts";
import { intentsLimits } from "./intents-limits.ts";

const dayMs = 24 * 60 * 60 * 1_000;

function windowMs(state: StateReader): number {
  return intentNumbers(state).ended_days * dayMs;
}

/** The intents that ended longest ago, and before a time. */
function endedBefore(state: StateReader, endMs: number, limit: number): readonly IntentRow[] {
  const rows = state.rows(intentTable).scan("ended", { limit });
  return rows.filter(({ endedMs = Infinity }) => endedMs <= endMs);
}

/** Retires the intents that are due. Each correction counts too, so that no entry takes long to fold. */
export function retireIntents(_input: { readonly first: string }, context: DecideContext): Decision {
  const { state, time } = context;
  const rows = endedBefore(state, time - windowMs(state), intentsLimits.retiredAtOnce);
  let cost = 0;
  let retired = 0;
  for (const { id } of rows) {
    const found = findIntent(state, id);
    if (found === undefined) continue;
    cost += 1 + found.value.correction_count;
    if (retired > 0 && cost > intentsLimits.retiredAtOnce) break;
    context.emit(retireEntity(found.row));
    retired += 1;
  }
  return { outcome: retired === 0 ? refusal("not_due") : done({ retired }), events: [] };
}

/** The id contains the first intent, so that several nodes make one entry. */
export const retirementTimer: Timer = {
  runsInGrace: true,
  nextTime: (state) => {
    const [first] = state.rows(intentTable).scan("ended", { limit: 1 });
    return first?.endedMs === undefined ? undefined : first.endedMs + windowMs(state);
  },
  due: (state, time) =>
    endedBefore(state, time - windowMs(state), 1).map(({ id, endedMs }) => ({
      id: `retire-intents:${String(endedMs)}:${id}`,
      operation: "intents.retire",
      input: { first: id },
    })),
};
