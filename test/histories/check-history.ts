/** Everything that must be true of a history, regardless of its faults. */
import { broken } from "./history-call.ts";
import type { HistoryCall } from "./history-call.ts";
import type { History } from "./history-run.ts";
import { checkLinearizable } from "./linearizable.ts";
import { checkReplay } from "./replay.ts";
import { initialState, statesAfter } from "./subject-model.ts";

export interface HistoryFigures {
  readonly calls: number;
  readonly unknown: number;
  readonly entries: number;
  readonly grants: number;
  readonly expiries: number;
  readonly conflicts: number;
  readonly withdrawals: number;
  readonly watchedEvents: number;
  /** Writes that the guarded counters accepted under a fence, and those that they refused after a later fence. */
  readonly fencedWrites: number;
  readonly staleWrites: number;
  /** Maximum number of calls of one entity that were in flight at once. */
  readonly atOnce: number;
}

export function checkHistory({ subjects, calls, journal, watched, counters }: History): HistoryFigures {
  const { answersChecked: _answers, ...replayed } = checkReplay(calls, journal, subjects);
  const atOnce = Math.max(...subjects.map((subject) => checkSubject(calls, subject)));
  const outside = [...counters.values()];
  return {
    ...{ calls: calls.length, unknown: calls.filter(({ answer }) => answer === undefined).length },
    ...{ ...replayed, atOnce },
    watchedEvents: watched.reduce((sum, count) => sum + count, 0),
    fencedWrites: outside.reduce((sum, { accepted }) => sum + accepted, 0),
    staleWrites: outside.reduce((sum, { refused }) => sum + refused, 0),
  };
}

/** Without positions: some order explains all answers about one entity and its lock. */
function checkSubject(calls: readonly HistoryCall[], subject: string): number {
  const about = calls.filter(({ request }) => request.subject === subject);
  const { unexplained, openMax } = checkLinearizable(about, { start: initialState, after: statesAfter });
  if (unexplained !== undefined) broken("some order explains every answer", unexplained);
  return openMax;
}
