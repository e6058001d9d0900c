/** Ends a step of a run: its result and the begin of the next step are one entry, under the fence of the run. */
import type { IntentStatus } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { presentedFault } from "../../features/locks/for-features/holds-lock.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { statusRecord, writeIntent } from "./change-intent.ts";
import type { IntentRecord } from "./change-intent.ts";
import { findCorrection } from "./correction-table.ts";
import { endRun } from "./end-run.ts";
import type { IntentStep } from "./end-run.ts";
import { existingIntent, expectedIntent, versionFault } from "./guard-intent.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import { correctionSubject } from "./intent-folds.ts";
import { intentPath, newestRun, openRun } from "./intent-value.ts";
import type { FoundIntent, IntentValue, StoredRun } from "./intent-value.ts";
import { isRefusal, readStatus, readWord } from "./read-word.ts";
import { finalFault, transitionFault } from "./transition-fault.ts";
import { correctedIntent, correctionFault, correctionLimit } from "./reevaluate.ts";
import { completeStep, failStep, nextStep, retryStep } from "./next-step.ts";
import type { StepError } from "./next-step.ts";
import { withPayload } from "./update.ts";

interface AdvanceInput {
  readonly id: string;
  readonly fence: string;
  readonly run: number;
  readonly step: string;
  readonly outcome: string;
  readonly changes?: JsonObject;
  readonly to?: string;
  readonly correction?: { readonly diff: JsonObject; readonly source: string; readonly metadata?: JsonObject };
  readonly correction_id?: string;
  readonly pause?: string;
  readonly note?: string;
  readonly error?: StepError;
  readonly fatal?: boolean;
  readonly expected_version?: number;
  readonly expected_revision?: string;
}

export function advanceIntent(input: AdvanceInput, context: DecideContext): Decision {
  const found = stepFault(input) ?? existingIntent(context, { id: input.id });
  if ("outcome" in found) return found;
  const fault = runFault(context, found, input) ?? versionFault(context, expectedIntent(input));
  if (fault !== undefined) return fault;
  const outcome = readWord(["done", "retry", "failed"], "outcome", { text: input.outcome, fallback: "done" });
  if (isRefusal(outcome)) return outcome;
  const result = outcome === "done" ? doneStep(context, found, input) : failedStep(context, found, input, outcome);
  if (isRefusal(result)) return result;
  const written = writeIntent(context, found, { ...result, name: "advanced" });
  if ("outcome" in written) return written;
  if (outcome === "done") keepCorrection(context, input);
  return { outcome: done(written.data), events: [], attachment: written.attachment };
}

function stepFault({ correction }: AdvanceInput): Decision | undefined {
  return correction === undefined ? undefined : correctionFault(correction, "/correction");
}

/** The fence must be live and the run's own, the run open, and the step its current one. */
function runFault(context: DecideContext, { row, value }: FoundIntent, input: AdvanceInput): Decision | undefined {
  const path = intentPath(row.id);
  const { fence, step } = input;
  const reason = presentedFault(context, path, { mode: "write", scope: "self", fence });
  if (reason !== undefined) return refused("fence_stale", { fence, path, reason });
  const run = openRun(value);
  if (run === undefined || value.run_count !== input.run) {
    const state = newestRun(value)?.state ?? "none";
    return refused("intents.run_ended", { intent_id: row.id, run: value.run_count, state });
  }
  if (run.fence !== fence) return refused("fence_stale", { fence, path, reason: "the run has another fence" });
  if (run.current === step) return undefined;
  const order = `the current step is ${run.current ?? "none"}, not ${step}`;
  return refused("intents.step_out_of_order", { intent_id: row.id, step, current: run.current ?? null, reason: order });
}

function doneStep(context: DecideContext, found: FoundIntent, input: AdvanceInput): IntentStep | Decision {
  const { row } = found;
  const changed = changedIntent(context, found, input);
  if (isRefusal(changed)) return changed;
  const completed = completeStep(context, changed.next, input.step, input.note);
  const following = nextStep(context, { row, value: completed.next }, input.pause);
  return { next: following.next, records: [...changed.records, ...completed.records, ...following.records] };
}

/** The payload, the status and the correction that a step produced, in this order. */
function changedIntent(
  context: DecideContext,
  { row, value }: FoundIntent,
  input: AdvanceInput,
): IntentStep | Decision {
  const moved = movedIntent(row.id, value, input);
  if (isRefusal(moved) || !isNewCorrection(context, input)) return moved;
  const found = { row, value: moved.next };
  const limit = correctionLimit(found);
  if (limit !== undefined) return limit;
  const { correction, correction_id = "", fence } = input;
  const { diff, source } = correction as NonNullable<AdvanceInput["correction"]>;
  const corrected = correctedIntent(context, found, { diff, source, correction_id, fence });
  return { next: corrected.next, records: [...moved.records, ...corrected.records] };
}

function movedIntent(id: string, value: IntentValue, { changes, to }: AdvanceInput): IntentStep | Decision {
  const final = changes === undefined ? undefined : finalFault(id, value.status);
  if (final !== undefined) return final;
  const next = changes === undefined ? value : withPayload(value, changes);
  if (to === undefined) return { next, records: [] };
  const status = readStatus("to", to);
  if (isRefusal(status)) return status;
  return transitionFault(id, value.status, status) ?? withStatus(next, status);
}

function withStatus(value: IntentValue, status: IntentStatus): IntentStep {
  const records: readonly IntentRecord[] = statusRecord(value.status, status);
  return { next: { ...value, status }, records };
}

/** A correction that is known is not applied again: the bridge ran before. */
function isNewCorrection({ state }: DecideContext, { id, correction, correction_id }: AdvanceInput): boolean {
  if (correction === undefined || correction_id === undefined) return false;
  return findCorrection(state, id, correction_id) === undefined;
}

function keepCorrection(context: DecideContext, input: AdvanceInput): void {
  const { id, correction_id = "" } = input;
  if (!isNewCorrection(context, input)) return;
  context.emit({ type: "intent.correction_kept", subject: correctionSubject(id, correction_id), data: {} });
}

function failedStep(
  context: DecideContext,
  { row, value }: FoundIntent,
  { step, fatal, ...input }: AdvanceInput,
  outcome: "retry" | "failed",
): IntentStep {
  const error = input.error ?? { code: "bridge_failed", message: "" };
  const isFatal = fatal === true;
  const isStopped = (openRun(value) as StoredRun).stop !== undefined;
  if (outcome === "failed" || isFatal) return failStep(context, { row, value }, step, { error, isFatal });
  const retried = retryStep(context, value, step, error);
  if (!isStopped) return retried;
  const ended = endRun(context, { row, value: retried.next }, "stopped");
  return { next: ended.next, records: [...retried.records, ...ended.records] };
}
