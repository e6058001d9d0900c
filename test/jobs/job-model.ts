/**
 * A plain model of the queue. It has no index and no counter: it examines every job and every worker at every start. The
 * machine must start the same jobs in the same order. A job locks at most one path, so the queue of a path is a list.
 */
import { backoffOf } from "../../server/src/packs/jobs/backoff-of.ts";
import { JobModelAttempts } from "./job-model-attempts.ts";
import { compareNames } from "./model-job.ts";
import type { ModelJob, ModelUnique, RunMember } from "./model-job.ts";

export class JobModel extends JobModelAttempts {
  #submitted = 0;

  submit(job: Omit<ModelJob, RunMember | "isUniqueUntilStart">, unique?: ModelUnique): string {
    const held = job.unique === undefined ? undefined : this.keys.get(job.unique);
    if (unique !== undefined && held !== undefined && (held.until ?? Infinity) > this.time)
      return this.#duplicate(held.id, job, unique);
    const isUniqueUntilStart = unique?.until === "started";
    const none = { attempt: 0, crashes: 0, worker: "", leaseUntil: 0, patientUntil: 0 };
    const rest = { ...none, endAt: Infinity, cancel: undefined };
    this.#submitted += 1;
    this.jobs.set(job.id, { ...job, ...rest, isUniqueUntilStart, percent: undefined, seq: this.#submitted });
    if (unique !== undefined && job.unique !== undefined) {
      const until = typeof unique.until === "number" ? this.time + unique.until * 1_000 : undefined;
      this.keys.set(job.unique, { id: job.id, until });
    }
    this.fill();
    return "done";
  }

  /** A job that has not started gets the payload and the time of the newer one, if that is asked for. */
  #duplicate(id: string, { payload, at }: Pick<ModelJob, "payload" | "at">, { duplicate }: ModelUnique): string {
    if (duplicate === "refuse") return "jobs.duplicate";
    const first = this.jobs.get(id);
    if (duplicate === "replace" && first !== undefined && first.state !== "running" && first.state !== "failed") {
      first.payload = payload;
      if (first.state !== "locking") first.at = at;
      if (first.state !== "waiting" && first.state !== "locking") first.state = at > this.time ? "scheduled" : "ready";
    }
    this.fill();
    return "done";
  }

  change(
    job: ModelJob,
    changes: { readonly priority?: number; readonly maxAttempts?: number; readonly at?: number },
  ): void {
    const { at, ...rest } = changes;
    Object.assign(job, rest);
    if (at !== undefined) {
      job.at = at > this.time ? at : 0;
      if (job.state !== "waiting") job.state = at > this.time ? "scheduled" : "ready";
    }
    this.fill();
  }

  progress(job: ModelJob, percent: number): void {
    job.percent = Math.max(percent, job.percent ?? 0);
    job.leaseUntil = this.time + 45_000;
  }

  /** The worker has more slots for the length of this call. A call that moves no job changes nothing. */
  take(worker: string, works: readonly string[], count: number): void {
    const before = this.workers.get(worker);
    const restored = before === undefined ? undefined : { ...before };
    const slots = this.running((job) => job.worker === worker) + count;
    const row = { works, slots, until: this.time + 25_000, last: before?.last ?? 0 };
    this.workers.set(worker, row);
    const moves = this.moves;
    this.fill();
    if (this.moves === moves) {
      if (restored === undefined) this.workers.delete(worker);
      else this.workers.set(worker, restored);
    } else if (restored === undefined || restored.works.length === 0) this.withdraw(worker, row);
    else Object.assign(row, { works: restored.works, slots: restored.slots });
  }

  offer(worker: string, works: readonly string[], slots: number): void {
    const last = this.workers.get(worker)?.last ?? 0;
    this.workers.set(worker, { works, slots, until: this.time + 25_000, last });
    this.fill();
    this.forgetIdle();
  }

  beat(worker: string): void {
    const row = this.workers.get(worker);
    if (row !== undefined && row.works.length > 0 && row.until > this.time) row.until = this.time + 25_000;
    for (const job of this.jobs.values())
      if (job.worker === worker && job.state === "running" && job.leaseUntil > this.time)
        job.leaseUntil = this.time + 45_000;
    for (const hold of this.holds.values()) if (hold.isClaimed && hold.keeper === worker) hold.heartbeatAt = this.time;
  }

  complete(job: ModelJob): void {
    this.completeMany([job]);
  }

  /** The freed slots are filled together. */
  completeMany(jobs: readonly ModelJob[]): void {
    for (const job of jobs) {
      this.end(job, true);
      this.freeLockOf(job);
    }
    this.fill();
  }

  fail(job: ModelJob, retries: boolean): void {
    if (job.cancel === "cancelled") this.end(job, false);
    else this.failAttempt(job, retries);
    this.freeLockOf(job);
    this.fill();
  }

  /** Another owner locks a path. It passes no job in the queue. */
  acquire(owner: string, path: string): string {
    const held = this.holds.get(path);
    if (held?.owner !== owner && (held !== undefined || this.queueOf(path).length > 0)) return "lock_denied";
    // A repeated request renews the lock that its owner holds.
    this.holds.set(path, { owner, isClaimed: false, keeper: "", heartbeatAt: this.time });
    return "done";
  }

  free(owner: string, path: string): void {
    if (this.holds.get(path)?.owner === owner) this.freePath(path);
  }

  release(job: ModelJob, delayMs: number): void {
    if (job.cancel === "cancelled") this.end(job, false);
    else {
      job.attempt -= 1;
      this.back(job, delayMs === 0 ? undefined : this.time + delayMs);
    }
    this.freeLockOf(job);
    this.fill();
  }

  cancel(job: ModelJob): void {
    if (job.state !== "running") this.end(job, false);
    else if (job.cancel !== "cancelled") [job.cancel, job.endAt] = ["cancelled", this.time + 30_000];
    this.fill();
  }

  retryFailed(type: string): void {
    for (const job of this.jobs.values()) {
      if (job.state !== "failed" || job.type !== type) continue;
      [job.attempt, job.crashes] = [0, 0];
      this.back(job, undefined);
    }
    this.fill();
  }

  /** Advances the time. Timers fire in a fixed order of their kinds. */
  pass(ms: number): void {
    this.time += ms;
    while (this.#fireOne());
  }

  #fireOne(): boolean {
    if (this.#endOverdueLock()) return true;
    const jobs = [...this.jobs.values()];
    const due = jobs.filter((job) => job.state === "scheduled" && job.at <= this.time);
    if (due.length > 0) {
      for (const job of due) this.back(job, undefined);
      this.fill();
      return true;
    }
    const dueAt = (job: ModelJob): number => Math.min(job.leaseUntil, job.endAt);
    const over = jobs
      .filter((job) => job.state === "running" && dueAt(job) <= this.time)
      .sort((a, b) => dueAt(a) - dueAt(b) || compareNames(a.id, b.id))[0];
    if (over !== undefined) {
      if (over.leaseUntil <= over.endAt) this.#lose(over);
      else if (over.cancel === undefined) [over.cancel, over.endAt] = ["timeout", this.time + 30_000];
      else {
        this.leaveStale(over);
        if (over.cancel === "cancelled") this.end(over, false);
        else this.failAttempt(over, true);
      }
      this.fill();
      return true;
    }
    const offer = [...this.workers].find(([, row]) => row.works.length > 0 && row.until <= this.time);
    if (offer !== undefined) {
      this.withdraw(...offer);
      return true;
    }
    if (!this.isLeft) return this.#dropKeys();
    this.fill();
    return true;
  }

  /** Stale locks first, then tickets, each in the order of time. */
  #endOverdueLock(): boolean {
    const [stale] = [...this.holds]
      .filter(([path]) => this.isOverdue(path))
      .sort(([, a], [, b]) => a.heartbeatAt - b.heartbeatAt);
    if (stale !== undefined) {
      this.freePath(stale[0]);
      return true;
    }
    const [impatient] = [...this.queues.values()]
      .flat()
      .filter(({ patientUntil }) => patientUntil <= this.time)
      .sort((a, b) => a.patientUntil - b.patientUntil);
    if (impatient === undefined) return false;
    this.leaveQueue(impatient);
    return true;
  }

  #dropKeys(): boolean {
    const over = [...this.keys].filter(([, { until = Infinity }]) => until <= this.time);
    for (const [key] of over) this.keys.delete(key);
    return over.length > 0;
  }

  #lose(job: ModelJob): void {
    this.leaveStale(job);
    job.crashes += 1;
    if (job.crashes >= 3) this.failJob(job);
    else {
      job.attempt -= 1;
      this.back(job, this.time + backoffOf(job.id, job.crashes, 1_000));
    }
  }
}
