/** The start of a job: its locks, its claim and its turn are one entry. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { adoptSet, grantSet } from "../../features/locks/for-features/grant-set.ts";
import { endOverdue } from "../../features/locks/for-features/end-overdue.ts";
import { enqueueSet } from "../../features/locks/for-features/enqueue-set.ts";
import { requestRelease } from "../../features/locks/for-features/request-release.ts";
import type { Denial } from "../../features/locks/queue/deny.ts";
import { liveGrant } from "../../features/locks/queue/free-grant.ts";
import { nextFence } from "../../features/locks/tables/fence.ts";
import { dueTime } from "../../features/locks/tables/lock-tables.ts";
import type { GrantRow, RequestTerms } from "../../features/locks/tables/lock-tables.ts";
import { lockSettings } from "../../features/locks/tables/settings.ts";
import type { DecideContext } from "../../machine/feature.ts";
import { jobTotals } from "./change-job.ts";
import { projectRow } from "./project-row.ts";
import { failAttempt } from "./fail-attempt.ts";
import { jobProjectSettings, jobTypeSettings, lockPatience, lockPause } from "./job-settings-table.ts";
import { jobOwner, jobSubject, readySince } from "./job-tables.ts";
import type { JobRow } from "./job-tables.ts";

/** Virtual time of a job with cost 1 in a project with weight 1. */
const turnSize = 1_000_000;

/** The order of an event over the whole journal. An entry has fewer events than this factor. */
export function orderOf({ position, events }: DecideContext): number {
  return position * 32_768 + events.length;
}

/**
 * Ends the overdue locks that block a job. Their hand-over may start other jobs, which use up slots and caps. Returns true
 * if it did.
 */
export function startsOthers(context: DecideContext, { id, fence, locks = [] }: JobRow): boolean {
  const first = context.events.length;
  if (fence !== undefined) liveGrant(context, fence);
  if (locks.length > 0) endOverdue(context, jobOwner(id), locks);
  return context.events.slice(first).some(({ type }) => type === "jobs.started");
}

/** Starts a job for a worker, or lets it wait for its locks. Returns whether it started. */
export function startJob(context: DecideContext, job: JobRow, worker: string): boolean {
  const { state, time, emit } = context;
  const stale = job.fence === undefined ? undefined : liveGrant(context, job.fence);
  if (stale !== undefined && !jobTypeSettings(state, job.type).adopt) {
    waitForRecovery(context, job, stale);
    return false;
  }
  const locked = lockJob(context, job, { worker, stale });
  if (locked !== undefined && !("fence" in locked)) {
    if (stale === undefined && locked.holders_total + locked.queue_length > 0) waitForLocks(context, job, locked);
    else tryLater(context, job, locked);
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
    waited_ms: time - readySince(job),
    vt: start + Math.ceil((turnSize * job.cost) / weight),
    v: start,
    order: orderOf(context),
  });
  emit({ type: "jobs.started", subject: jobSubject(job.id), data });
  return true;
}

/** The grant of the job's locks, or what blocks it. Undefined if it needs none. */
function lockJob(
  context: DecideContext,
  job: JobRow,
  { worker, stale }: { readonly worker: string; readonly stale: GrantRow | undefined },
): GrantRow | Denial | undefined {
  const { state } = context;
  const { locks = [] } = job;
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
 * The type does not adopt: the lost worker may still write, and nothing checks its fence. The job is tried again when the
 * stale locks may be recovered. That counts as no try.
 */
function waitForRecovery(
  { time, emit }: DecideContext,
  { id, type, lockTries: tries = 0 }: JobRow,
  stale: GrantRow,
): void {
  const soonest = time + lockPause(Infinity);
  const data = { type, next_at: Math.max(dueTime(stale) ?? 0, soonest), tries };
  emit({ type: "jobs.delayed", subject: jobSubject(id), data });
}

/** Where a job cannot queue, because it holds stale locks or no owner blocks it, it tries a bounded number of times. */
function tryLater(context: DecideContext, job: JobRow, denial: Denial): void {
  const { state, time, emit } = context;
  const { id, type } = job;
  const { lock_tries: triesMax } = jobTypeSettings(state, type);
  const tries = (job.lockTries ?? 0) + 1;
  if (tries >= triesMax) failAttempt(context, job, { error: lockError(denial, triesMax) });
  else emit({ type: "jobs.delayed", subject: jobSubject(id), data: { type, next_at: time + lockPause(tries), tries } });
}

/** The job queues for its locks with a ticket that is never granted, and holds nothing meanwhile. */
function waitForLocks(context: DecideContext, job: JobRow, denial: Denial): void {
  const { state, emit } = context;
  const { id, type, locks = [] } = job;
  const settings = jobTypeSettings(state, type);
  const [owner, terms] = [jobOwner(id), { ttlMs: settings.lease_ms }];
  const queued = { owner, paths: locks, terms, notifyOnly: true, leaseMs: lockPatience(settings) } as const;
  const { ticket } = enqueueSet(context, queued);
  const holders = holderNames(denial);
  emit({ type: "jobs.blocked", subject: jobSubject(id), data: { type, ticket, holders, reason: denial.reason } });
  requestRelease(context, locks, { by: owner, reason: `job ${id} (${type}) waits for it` });
}

function holderNames({ holders }: Denial): readonly string[] {
  return [...new Set(holders.map((holder) => holder["owner_id"] as string))];
}

/** The error of an attempt whose locks stayed held for all of its tries. */
export function lockError(denial: Pick<Denial, "holders" | "reason">, tries: number): JsonObject {
  const names = holderNames(denial as Denial);
  const by = names.length === 0 ? denial.reason : `held by ${names.join(", ")}`;
  return { code: "locks_unavailable", message: `${tries} tries to lock its paths failed: ${by}`.slice(0, 2_000) };
}
