/** The steps of a run: a step begins, is done, is tried again, or fails by the mode of the run. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { DecideContext } from "../../machine/feature.ts";
import { statusRecord } from "./change-intent.ts";
import type { IntentRecord } from "./change-intent.ts";
import { endRun, isoTimeOf, pauseRun, withRun } from "./end-run.ts";
import type { IntentStep } from "./end-run.ts";
import { openRun } from "./intent-value.ts";
import type { FoundIntent, IntentValue, StoredRun } from "./intent-value.ts";

import { isFinal } from "./transition-fault.ts";

type StepProgress = StoredRun["steps"][string];

export interface StepError {
  readonly code: string;
  readonly message: string;
}

/** The data that every record of a step has. */
function stepData(value: IntentValue, name: string): JsonObject {
  const bridge = (openRun(value) as StoredRun).bridges.find((each) => each.name === name);
  return { run: value.run_count, bridge: name, bridge_type: bridge?.type ?? name };
}

function withStep(value: IntentValue, name: string, step: StepProgress): IntentValue {
  const run = openRun(value) as StoredRun;
  return withRun(value, { ...run, steps: { ...run.steps, [name]: step } });
}

function startOf(context: DecideContext): Pick<StepProgress, "started_at" | "started_ms"> {
  return { started_at: isoTimeOf(context), started_ms: context.time };
}

/** Begins a step, or begins it again. `resets` forgets its earlier tries: an owner resumed the run after a failure. */
export function beginStep(
  context: DecideContext,
  value: IntentValue,
  name: string,
  { resets = false, crashes }: { readonly resets?: boolean; readonly crashes?: number } = {},
): IntentStep {
  const run = openRun(value) as StoredRun;
  const before = run.steps[name];
  const tries = 1 + (resets ? 0 : (before?.tries ?? 0));
  const step: StepProgress = {
    state: "started",
    tries,
    crashes: crashes ?? before?.crashes ?? 0,
    ...startOf(context),
  };
  const next = withStep(withRun(value, { ...run, current: name }), name, step);
  const data = { ...stepData(next, name), tried: tries, takeovers: run.takeovers };
  return { next, records: [{ type: "intent.bridge_started", data }] };
}

/** Ends a step as done. */
export function completeStep(
  context: DecideContext,
  value: IntentValue,
  name: string,
  note: string | undefined,
): IntentStep {
  const step = (openRun(value) as StoredRun).steps[name] as StepProgress;
  const ended_at = isoTimeOf(context);
  const duration_ms = Math.max(0, context.time - step.started_ms);
  const next = withStep(value, name, { ...step, ...defined({ note }), state: "done", ended_at });
  return { next, records: [{ type: "intent.bridge_completed", data: { ...stepData(value, name), duration_ms } }] };
}

/** Counts a failed try. The step stays the current one. */
export function retryStep(context: DecideContext, value: IntentValue, name: string, error: StepError): IntentStep {
  const run = openRun(value) as StoredRun;
  const step = run.steps[name] as StepProgress;
  const tried: StepProgress = { ...step, tries: step.tries + 1, error: { ...error }, ...startOf(context) };
  const next = withStep(value, name, tried);
  const started = { ...stepData(value, name), tried: tried.tries, takeovers: run.takeovers };
  return {
    next,
    records: [
      failedRecord(context, value, name, { error, willRetry: true }),
      { type: "intent.bridge_started", data: started },
    ],
  };
}

function failedRecord(
  context: DecideContext,
  value: IntentValue,
  name: string,
  { error, willRetry }: { readonly error: StepError; readonly willRetry: boolean },
): IntentRecord {
  const { started_ms } = (openRun(value) as StoredRun).steps[name] as StepProgress;
  const duration_ms = Math.max(0, context.time - started_ms);
  const data = { ...stepData(value, name), error: { ...error }, duration_ms, will_retry: willRetry };
  return { type: "intent.bridge_failed", data };
}

/** Ends a step as failed. The mode of the run decides whether the run continues, ends or pauses. */
export function failStep(
  context: DecideContext,
  { row, value }: FoundIntent,
  name: string,
  { error, isFatal }: { readonly error: StepError; readonly isFatal: boolean },
): IntentStep {
  const run = openRun(value) as StoredRun;
  const step = run.steps[name] as StepProgress;
  const failed: StepProgress = { ...step, state: "failed", error: { ...error }, ended_at: isoTimeOf(context) };
  const counted = withRun(withStep(value, name, failed), {
    ...run,
    errors: run.errors + 1,
    steps: { ...run.steps, [name]: failed },
  });
  const record = failedRecord(context, value, name, { error, willRetry: false });
  if (!isFatal && goesOn(run, name)) return after(record, nextStep(context, { row, value: counted }));
  if (run.on_failure === "pause") return after(record, pauseRun(counted, `${name} failed: ${error.code}`));
  // A bridge after the last status may fail too. The intent is final then and stays as it is.
  const status = isFinal(value.status) ? value.status : "failed";
  const ended = endRun(context, { row, value: { ...counted, status } }, "failed");
  return { next: ended.next, records: [record, ...statusRecord(value.status, status), ...ended.records] };
}

function after(record: IntentRecord, { next, records }: IntentStep): IntentStep {
  return { next, records: [record, ...records] };
}

function goesOn({ mode, bridges }: StoredRun, name: string): boolean {
  if (mode !== "selective") return mode === "continue";
  const bridge = bridges.find((each) => each.name === name);
  const byDefault = (bridge?.type ?? name) === "input" ? "fail" : "continue";
  return (bridge?.on_error ?? byDefault) === "continue";
}

/** Begins the step after the current one, or completes the run. `pause` makes it the current one without beginning it. */
export function nextStep(context: DecideContext, { row, value }: FoundIntent, pause?: string): IntentStep {
  const run = openRun(value) as StoredRun;
  if (run.stop !== undefined) return endRun(context, { row, value }, "stopped");
  const index = run.bridges.findIndex(({ name }) => name === run.current);
  const following = run.bridges[index + 1];
  if (following === undefined) return endRun(context, { row, value }, "completed");
  if (pause === undefined) return beginStep(context, value, following.name);
  return pauseRun(withRun(value, { ...run, current: following.name }), pause);
}
