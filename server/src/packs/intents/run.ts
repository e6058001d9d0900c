/** Starts a run of bridges under the lock of the intent, or takes over the run that its last owner left. */
import { runModes } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";
import { unchanged } from "../../features/entities/change.ts";
import { invalid } from "../../features/entities/conditions.ts";
import { blockersAt } from "../../features/locks/for-features/blockers-at.ts";
import { holdsLock } from "../../features/locks/for-features/holds-lock.ts";
import { grantTable } from "../../features/locks/tables/lock-tables.ts";
import { lockSettings } from "../../features/locks/tables/settings.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { changeIntent } from "./change-intent.ts";
import { isoTimeOf, stoppedRun, withRun } from "./end-run.ts";
import { existingIntent, expectedIntent, versionFault } from "./guard-intent.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import { intentPath, newestRun, openRun } from "./intent-value.ts";
import type { FoundIntent, IntentValue, StoredRun, StoredSummary } from "./intent-value.ts";
import { intentNumbers } from "./intent-settings-table.ts";
import { intentsLimits } from "./intents-limits.ts";
import { isRefusal, readWord } from "./read-word.ts";
import { finalFault } from "./transition-fault.ts";
import { beginStep, failStep } from "./next-step.ts";

interface RunInput {
  readonly id: string;
  readonly fence: string;
  readonly pipeline: string;
  readonly bridges: readonly { readonly name: string; readonly type?: string; readonly on_error?: string }[];
  readonly mode?: string;
  readonly on_failure?: string;
  readonly resume?: string;
  readonly expected_version?: number;
  readonly expected_revision?: string;
}

type RunPlan = Pick<StoredRun, "pipeline" | "mode" | "on_failure" | "bridges">;

export function runIntent(input: RunInput, context: DecideContext): Decision {
  const { id, fence } = input;
  if (!lockSettings(context.state).isOn) return refused("locks_off", { toggle: "component_toggles.lock_manager" });
  const found = existingIntent(context, { id });
  if ("outcome" in found) return found;
  const fault = lockFault(context, id, fence) ?? versionFault(context, expectedIntent(input));
  if (fault !== undefined) return fault;
  const plan = readPlan(input);
  if (isRefusal(plan)) return plan;
  const resume = readWord(["auto", "never", "only"], "resume", { text: input.resume, fallback: "auto" });
  if (isRefusal(resume)) return resume;
  const run = openRun(found.value);
  if (run !== undefined) return resumeRun(context, found, { run, plan, fence, isAllowed: resume !== "never" });
  const final = finalFault(id, found.value.status);
  if (final !== undefined) return final;
  if (resume !== "only") return startRun(context, found, { plan, fence });
  const state = newestRun(found.value)?.state ?? "none";
  return refused("intents.run_ended", { intent_id: id, run: found.value.run_count, state });
}

/** A run needs the live write lock in its own entry. */
function lockFault(context: DecideContext, id: string, fence: string): Decision | undefined {
  const path = intentPath(id);
  if (holdsLock(context, path, { mode: "write", scope: "self", fence })) return undefined;
  const { holders = [] } = (blockersAt(context, path, { count: "holders", fence }) ?? {}) as JsonObject;
  const need = { path, mode: "write", scope: "self" } as const;
  return refused("intents.lock_required", { missing: [{ ...need, holders }], acquire: [need] });
}

/** The plan with its words in lower case, or the refusal. */
function readPlan({ pipeline, bridges, ...input }: RunInput): RunPlan | Decision {
  const mode = readWord(runModes, "mode", { text: input.mode, fallback: "failfast" });
  if (isRefusal(mode)) return mode;
  const failure = readWord(["fail", "pause"], "on_failure", { text: input.on_failure, fallback: "fail" });
  if (isRefusal(failure)) return failure;
  const planned: StoredRun["bridges"] = [];
  for (const [index, { on_error: text, ...bridge }] of bridges.entries()) {
    if (planned.some(({ name }) => name === bridge.name))
      return invalid([{ pointer: `/bridges/${index}/name`, message: `repeats the bridge ${bridge.name}` }]);
    const word = readWord(["fail", "continue"], `bridges.${index}.on_error`, { text, fallback: "continue" });
    if (isRefusal(word)) return word;
    planned.push(text === undefined ? bridge : { ...bridge, on_error: word });
  }
  return { pipeline, mode, on_failure: failure, bridges: planned };
}

function startRun(
  context: DecideContext,
  found: FoundIntent,
  { plan, fence }: { readonly plan: RunPlan; readonly fence: string },
): Decision {
  const number = found.value.run_count + 1;
  const run: StoredRun = {
    ...plan,
    state: "running",
    fence,
    owner: ownerOf(context, fence),
    takeovers: 0,
    errors: 0,
    started_at: isoTimeOf(context),
    steps: {},
  };
  const kept = withSummaries(found.value);
  const opened = withRun({ ...kept, run_count: number, open_run: number }, run);
  const first = beginStep(context, opened, plan.bridges[0]?.name ?? "");
  const started = { type: "intent.run_started", data: { run: number, pipeline: plan.pipeline } };
  return changeIntent(context, found, { next: first.next, name: "run_changed", records: [started, ...first.records] });
}

/** The value in which the newest run is a summary like the earlier ones. The oldest summaries are dropped. */
function withSummaries(value: IntentValue): IntentValue {
  const last = newestRun(value);
  if (last === undefined) return value;
  const { pipeline, mode, state, errors, started_at, ended_at = started_at, version = 0 } = last;
  const summary: StoredSummary = { pipeline, mode, state, errors, started_at, ended_at, version };
  const runs = Object.entries({ ...value.runs, [String(value.run_count)]: summary });
  const oldest = value.run_count - intentsLimits.earlierRuns;
  return { ...value, runs: Object.fromEntries(runs.filter(([number]) => Number(number) > oldest)) };
}

function ownerOf({ state }: DecideContext, fence: string): string {
  return state.rows(grantTable).get(fence)?.owner ?? "";
}

interface Resumption {
  readonly run: StoredRun;
  readonly plan: RunPlan;
  readonly fence: string;
  readonly isAllowed: boolean;
}

function resumeRun(context: DecideContext, found: FoundIntent, { run, plan, fence, isAllowed }: Resumption): Decision {
  const { row, value } = found;
  const about = { intent_id: row.id, run: value.run_count };
  const { pipeline, mode, on_failure, bridges } = run;
  const open: RunPlan = { pipeline, mode, on_failure, bridges };
  const isSame = sameJson(open, plan);
  // The reply to the first request was lost.
  if (isSame && run.state === "running" && run.fence === fence) return unchanged(row);
  if (!isAllowed) return refused("intents.run_open", { ...about, state: run.state });
  if (!isSame)
    return refused("intents.plan_differs", {
      ...about,
      plan: open as unknown as JsonObject,
      yours: plan as unknown as JsonObject,
    });
  if (run.stop !== undefined) {
    const { next, records } = stoppedRun(context, found);
    return changeIntent(context, found, { next, name: "run_stopped", records });
  }
  return takeOver(context, found, fence);
}

/** The new owner begins the current step again. A step whose owners crash too often fails. */
function takeOver(context: DecideContext, found: FoundIntent, fence: string): Decision {
  const { row, value } = found;
  const { left, pause: _pause, ...run } = openRun(value) as StoredRun;
  const name = run.current ?? run.bridges[0]?.name ?? "";
  const before = run.steps[name];
  const takeovers = run.takeovers + 1;
  const taken = withRun(value, { ...run, state: "running", fence, owner: ownerOf(context, fence), takeovers });
  const resumed = { type: "intent.run_resumed", data: { run: value.run_count, takeovers } };
  // An owner resumes a failed step to try it again, so its earlier crashes do not count.
  const resets = before?.state === "failed";
  const earlier = resets ? 0 : (before?.crashes ?? 0);
  const crashes = earlier + (left === "expired" && before?.state === "started" ? 1 : 0);
  const limit = intentNumbers(context.state).crash_limit;
  const options = { crashes, resets };
  const begun = beginStep(context, taken, name, options);
  if (crashes <= limit)
    return changeIntent(context, found, {
      next: begun.next,
      name: "run_changed",
      records: [resumed, ...begun.records],
    });
  const error = { code: "intents.step_crashed", message: `${crashes} owners of this step crashed` };
  const failed = failStep(context, { row, value: begun.next }, name, { error, isFatal: false });
  return changeIntent(context, found, {
    next: failed.next,
    name: "run_changed",
    records: [resumed, ...failed.records],
  });
}
