/** Changes a job that does not run yet. */
import { defined } from "@holdfast/sdk/base/defined";
import { refused } from "../../features/locks/rules/owner.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { fill } from "./fill.ts";
import { endedJobTable, jobSubject, jobTable } from "./job-tables.ts";
import { parseUtcTime } from "./parse-utc-time.ts";

interface ChangeInput {
  readonly id: string;
  readonly changes: { readonly priority?: number; readonly run_at?: string; readonly max_attempts?: number };
}

export function changeWaitingJob({ id, changes: given }: ChangeInput, context: DecideContext): Decision {
  const { state, time, emit } = context;
  const { run_at: runAt, ...changes } = given;
  const row = state.rows(jobTable).get(id);
  if (row === undefined) {
    const ended = state.rows(endedJobTable).get(id);
    return ended === undefined
      ? refused("jobs.unknown", { id })
      : refused("jobs.not_waiting", { id, state: ended.state });
  }
  if (row.state !== "waiting" && row.state !== "scheduled" && row.state !== "ready")
    return refused("jobs.not_waiting", { id, state: row.state });
  const at = runAt === undefined ? undefined : parseUtcTime(runAt);
  const isLater = at !== undefined && at > time;
  const to = row.state === "waiting" ? row.state : isLater ? "scheduled" : "ready";
  const moved = at === undefined ? {} : { at: isLater ? at : null, state: to };
  emit({ type: "jobs.changed", subject: jobSubject(id), data: defined({ type: row.type, ...changes, ...moved }) });
  fill(context);
  const next = state.rows(jobTable).get(id) ?? row;
  const { state: shown, priority, maxAttempts } = next;
  const data = { id, state: shown, priority, max_attempts: maxAttempts };
  return { outcome: done(data), events: [], attachment: {} };
}
