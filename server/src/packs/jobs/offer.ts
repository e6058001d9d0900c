/** Offers of workers, and jobs that a worker takes without one. */
import { findAgent } from "../../features/agents/agent-table.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import { spaceFull } from "../../features/space/space-full.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { fill } from "./fill.ts";
import { jobLimits, jobTable, workerTable } from "./job-tables.ts";
import { startedFor, startedJobViews } from "./job-view.ts";

/** The agent that works, or the refusal. */
function workerOf(context: DecideContext): string | Decision {
  const { state, command } = context;
  if (command.agent === undefined) return refused("jobs.agent_required", {});
  if (findAgent(state, command.agent) === undefined) return refused("agent_unknown", { agent_id: command.agent });
  return command.agent;
}

function emitOffer({ emit }: DecideContext, worker: string, types: readonly string[], slots: number): void {
  emit({ type: "jobs.offered", subject: `worker/${worker}`, data: { types: [...new Set(types)], slots } });
}

/** Replaces the offer of the worker. The reply has all jobs that it runs, so that a restarted worker knows them. */
export function offerWork(
  { types, slots }: { readonly types: readonly string[]; readonly slots: number },
  context: DecideContext,
): Decision {
  const worker = workerOf(context);
  if (typeof worker !== "string") return worker;
  const full = slots === 0 ? undefined : spaceFull(context);
  if (full !== undefined) return full;
  emitOffer(context, worker, types, slots);
  fill(context);
  const { state } = context;
  const running = state.rows(jobTable).scan("worker", { prefix: `${worker}${gap}`, limit: jobLimits.selectedMax });
  return {
    outcome: done({ slots, running: running.length, lease_ms: jobLimits.offerMs }),
    events: [],
    attachment: { next: startedJobViews(running) },
  };
}

/** Starts jobs for this worker at once. Its existing offer is unchanged. A call that starts no job leaves no entry. */
export function takeJobs(
  { types, count = 1 }: { readonly types: readonly string[]; readonly count?: number },
  context: DecideContext,
): Decision {
  const worker = workerOf(context);
  if (typeof worker !== "string") return worker;
  const full = spaceFull(context);
  if (full !== undefined) return full;
  const { state, emit } = context;
  const first = context.events.length;
  const before = state.rows(workerTable).get(worker);
  context.attempt(
    () => {
      emitOffer(context, worker, types, (before?.running ?? 0) + count);
      fill(context);
      if (before === undefined || before.works.length === 0)
        emit({ type: "jobs.withdrawn", subject: `worker/${worker}`, data: { why: "taken" } });
      else emitOffer(context, worker, before.works, before.slots);
    },
    // More than the two offers changed: a job started, or it waits for its locks.
    () => context.events.length > first + 2,
  );
  return { outcome: done({}), events: [], attachment: startedFor(context, worker) };
}
