/** The ends of a run: completed, failed, stopped, or paused until an owner resumes it. */
import { defined } from "@holdfast/sdk/base/defined";
import type { DecideContext } from "../../machine/feature.ts";
import type { IntentRecord } from "./change-intent.ts";
import { openRun } from "./intent-value.ts";
import type { FoundIntent, IntentValue, StoredRun } from "./intent-value.ts";

/** The next value of an intent and the records of the change. */
export interface IntentStep {
  readonly next: IntentValue;
  readonly records: readonly IntentRecord[];
}

type RunEnd = "completed" | "failed" | "stopped";

export function isoTimeOf({ time }: Pick<DecideContext, "time">): string {
  return new Date(time).toISOString();
}

/** The intent with another newest run. */
export function withRun(value: IntentValue, run: StoredRun): IntentValue {
  return { ...value, runs: { ...value.runs, [String(value.run_count)]: run } };
}

/** Ends the open run. The version of its end finds the whole run in the history. */
export function endRun(context: DecideContext, { row, value }: FoundIntent, state: RunEnd): IntentStep {
  const { open_run: _open, ...closed } = value;
  const { current: _current, fence: _fence, owner: _owner, pause: _pause, ...run } = openRun(value) as StoredRun;
  const ended = { ...run, state, ended_at: isoTimeOf(context), version: row.version + 1 };
  return { next: withRun(closed, ended), records: [runEnded(value, ended)] };
}

export function stoppedRun(context: DecideContext, found: FoundIntent): IntentStep {
  return endRun(context, found, "stopped");
}

/** Pauses the open run. It holds no lock, and its current step begins again when an owner resumes it. */
export function pauseRun(value: IntentValue, why: string | undefined): IntentStep {
  const { fence: _fence, owner: _owner, pause: _pause, ...run } = openRun(value) as StoredRun;
  const paused = { ...run, ...defined({ pause: why }), state: "paused" } as const;
  return { next: withRun(value, paused), records: [runEnded(value, paused)] };
}

function runEnded({ run_count: run }: IntentValue, { state, errors }: StoredRun): IntentRecord {
  return { type: "intent.run_ended", data: { run, state, errors } };
}
