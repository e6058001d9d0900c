import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { writeIntent } from "./change-intent.ts";
import type { IntentChange } from "./change-intent.ts";
import { callerName } from "./create.ts";
import { isoTimeOf, stoppedRun, withRun } from "./end-run.ts";
import { existingIntent } from "./guard-intent.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import { newestRun, openRun } from "./intent-value.ts";
import type { FoundIntent, StoredRun } from "./intent-value.ts";

interface StopInput {
  readonly id: string;
  readonly reason: string;
}

/** Records a request to stop. It needs no lock: the owner of the run must learn of it while it works. */
export function stopIntent({ id, reason }: StopInput, context: DecideContext): Decision {
  const found = existingIntent(context, { id });
  if ("outcome" in found) return found;
  const { value } = found;
  const run = openRun(value);
  if (run === undefined) {
    const state = newestRun(value)?.state ?? "none";
    return refused("intents.run_ended", { intent_id: id, run: value.run_count, state });
  }
  if (run.stop !== undefined && run.state === "running") return answer(found, found.row.version);
  const written = writeIntent(context, found, stopChange(context, found, { run, reason }));
  return "outcome" in written ? written : answer(found, written.data["version"] as number, run);
}

/** A running run continues until its owner reacts. Any other one ends at once. */
function stopChange(
  context: DecideContext,
  { row, value }: FoundIntent,
  { run, reason }: { readonly run: StoredRun; readonly reason: string },
): IntentChange {
  const requested = { type: "intent.stop_requested", data: { run: value.run_count, reason } };
  const stop = { by: callerName(context), reason, at: isoTimeOf(context) };
  const asked = withRun(value, { ...run, stop });
  if (run.state === "running") return { next: asked, name: "run_changed", records: [requested] };
  const ended = stoppedRun(context, { row, value: asked });
  return { next: ended.next, name: "run_stopped", records: [requested, ...ended.records] };
}

function answer({ row, value }: FoundIntent, version: number, run = openRun(value)): Decision {
  const isRunning = run?.state === "running";
  const state = isRunning ? "running" : "stopped";
  return { outcome: done({ id: row.id, version, run: value.run_count, state, requested: isRunning }), events: [] };
}
