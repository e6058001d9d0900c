/** The start of a job: its locks, its claim and its turn are one entry. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { adoptSet, grantSet } from "../../features/locks/for-features/grant-set.ts";
import { enqueueSet } from "../../features/locks/for-features/enqueue-set.ts";
import { requestRelease } from "../../features/locks/for-features/request-release.ts";
import type { Denial } from "../../features/locks/queue/deny.ts";
import { nextFence } from "../../features/locks/tables/fence.ts";
import { grantTable } from "../../features/locks/tables/lock-tables.ts";
import type { GrantRow, RequestTerms } from "../../features/locks/tables/lock-tables.ts";
import { lockSettings } from "../../features/locks/tables/settings.ts";
import type { DecideContext } from "../../machine/feature.ts";
import { jobTotals, projectRow } from "./change-job.ts";
import { failAttempt } from "./fail-attempt.ts";
import { jobProjectSettings, jobTypeSettings } from "./job-settings-table.ts";
import { jobLimits, jobOwner, jobSubject } from "./job-tables.ts";
import type { JobRow } from "./job-tables.ts";

/** Virtual time of a job with cost 1 in a project with weight 1. */
const turnSize = 1_000_000;

/** The order of an event over the whole journal. An entry has fewer events than this factor. */
export function orderOf({ position, events }: DecideContext): number {
  return position * 32_768 + events.length;
}

/** Starts a job for a worker, or lets it wait for its locks. Returns whether it started. */
export function startJob(context: DecideContext, job: JobRow, worker: string): boolean {
  const { state, time, emit } = context;
  const locked = lockJob(context, job, worker);
  if (locked !== undefined && !("fence" in locked)) {
    waitForLocks(context, job, locked);
    return false;
  }
  const { lease_ms: leaseMs, class: jobClass } = jobTypeSettings(state, job.type);
  const { weight } = jobProjectSettings(state, job.project);
  const start = Math.max(projectRow(state, job.project).vt, jobTotals(state).v);
  const data = defined({
    type: job.type,
    project: job.project,
    worker,
    // The claim differs from the fence of the locks: their events come before it.
    claim: nextFence(context),
    attempt: job.attempt + 1,
    class: jobClass,
    lease_ms: leaseMs,
    fence: locked?.fence as string | undefined,
    end_at: job.timeoutMs === undefined ? undefined : time + job.timeoutMs,
    vt: start + Math.ceil((turnSize * job.cost) / weight),
    v: start,
    order: orderOf(context),
  });
  emit({ type: "jobs.started", subject: jobSubject(job.id), data });
  return true;
}

/** The grant of the job's locks, or what blocks it. Undefined if it needs none. */
function lockJob(context: DecideContext, job: JobRow, worker: string): GrantRow | Denial | undefined {
  const { state } = context;
  const { fence, locks = [] } = job;
  const stale = fence === undefined ? undefined : state.rows(grantTable).get(fence);
  if (stale !== undefined) return adoptSet(context, stale.fence, { keeper: worker, job: job.id, paths: locks });
  if (locks.length === 0) return undefined;
  if (!lockSettings(state).isOn) return offDenial(locks[0]?.path ?? "", job);
  const terms = jobTerms(context, job, worker);
  return grantSet(context, { owner: jobOwner(job.id), keeper: worker, job: job.id, paths: locks, terms });
}

/** The terms of the locks of a job, as `dal_locks` shows them. */
export function jobTerms({ state }: DecideContext, { id, type, attempt }: JobRow, worker: string): RequestTerms {
  const { lease_ms: ttlMs } = jobTypeSettings(state, type);
  return { ttlMs, purpose: `job ${type}`, metadata: { job: id, type, attempt: attempt + 1, worker } };
}

function offDenial(path: string, { id }: JobRow): Denial {
  const about = { resource_id: path, requested_by: jobOwner(id), current_owner: null, reason: "locks_off" };
  return { ...about, holders: [], holders_total: 0, queue_length: 0, place: 1 };
}

/**
 * The job queues for its locks with a ticket that is never granted, and holds nothing meanwhile. Where it cannot queue,
 * it tries again a bounded number of times.
 */
function waitForLocks(context: DecideContext, job: JobRow, denial: Denial): void {
  const { state, time, emit } = context;
  const { id, type, locks = [], fence } = job;
  const subject = jobSubject(id);
  const isStale = fence !== undefined && state.rows(grantTable).get(fence) !== undefined;
  if (isStale || denial.holders_total + denial.queue_length === 0) {
    const tries = (job.lockTries ?? 0) + 1;
    const isLast = tries >= jobLimits.lockTriesMax;
    if (isLast) failAttempt(context, job, { error: lockError(denial) });
    else emit({ type: "jobs.delayed", subject, data: { type, next_at: time + jobLimits.lockTryMs, tries } });
    return;
  }
  const { lock_patience_ms: leaseMs, lease_ms: ttlMs } = jobTypeSettings(state, type);
  const owner = jobOwner(id);
  const { ticket } = enqueueSet(context, { owner, paths: locks, terms: { ttlMs }, notifyOnly: true, leaseMs });
  const holders = holderNames(denial);
  emit({ type: "jobs.blocked", subject, data: { type, ticket, holders, reason: denial.reason } });
  requestRelease(context, locks, { by: owner, reason: `job ${id} (${type}) waits for it` });
}

function holderNames({ holders }: Denial): readonly string[] {
  return [...new Set(holders.map((holder) => holder["owner_id"] as string))];
}

/** The error of an attempt whose locks stayed held. */
export function lockError(denial: Pick<Denial, "holders" | "reason">): JsonObject {
  const names = holderNames(denial as Denial);
  const by = names.length === 0 ? denial.reason : `held by ${names.join(", ")}`;
  return { code: "locks_unavailable", message: `five tries to lock its paths failed: ${by}`.slice(0, 2_000) };
}
