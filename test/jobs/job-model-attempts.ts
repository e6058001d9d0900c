import { backoffOf } from "../../server/src/packs/jobs/backoff-of.ts";
import { JobModelState } from "./job-model-state.ts";
import { compareNames } from "./model-job.ts";
import type { ModelJob, ModelWorker } from "./model-job.ts";

/** The length of five tries. */
const patienceMs = 3_100;

const turnSize = 1_000_000;

/** The starts and the ends of attempts in the plain model. */
export class JobModelAttempts extends JobModelState {
  fill(): void {
    this.isLeft = false;
    for (let jobs = this.startable(); jobs.length > 0; jobs = this.startable()) {
      const startable = new Set(jobs.map(({ project }) => project));
      const [project = ""] = [...startable].sort(this.compareProjects);
      const [job] = jobs
        .filter((each) => each.project === project)
        .sort((a, b) => b.priority - a.priority || a.seq - b.seq);
      const worker = job === undefined ? undefined : this.workerFor(job);
      if (job === undefined || worker === undefined) continue;
      const count = this.started.length;
      if (job.lock !== undefined && this.isOverdue(job.lock)) this.freePath(job.lock);
      // The end of an overdue lock may start another job. Then the choice of this one is void.
      if (this.started.length === count) this.dispatch(job, worker, startable);
    }
    this.isLeft = false;
  }

  /** The worker that is next. Overdue offers end first. */
  protected workerFor(job: ModelJob): string | undefined {
    for (const [id, row] of this.freeWorkers(job)) {
      if (row.until > this.time) return id;
      this.withdraw(id, row);
    }
    return undefined;
  }

  /** Takes the lock of a job and starts it, or lets it wait for the lock. */
  protected dispatch(job: ModelJob, worker: string, startable: ReadonlySet<string>): boolean {
    const { lock, id } = job;
    const row = this.workers.get(worker);
    if (row === undefined) return false;
    this.moves += 1;
    if (lock !== undefined) {
      const held = this.holds.get(lock);
      // A job that leaves the queue goes ahead of those behind it.
      const isBehind = job.state !== "locking" && this.queueOf(lock).length > 0;
      if (held?.owner !== id && (held !== undefined || isBehind)) {
        Object.assign(job, { state: "locking", patientUntil: this.time + patienceMs, at: 0 });
        this.queueOf(lock).push(job);
        return false;
      }
      this.holds.set(lock, { owner: id, isClaimed: true, keeper: worker, heartbeatAt: this.time });
    }
    this.start(job, worker, row);
    this.started.push({ id, project: job.project, startable });
    return true;
  }

  protected start(job: ModelJob, worker: string, row: ModelWorker): void {
    this.starts += 1;
    const start = Math.max(this.turns.get(job.project)?.vt ?? 0, this.v);
    const vt = start + Math.ceil((turnSize * job.cost) / (this.weights.get(job.project) ?? 1));
    this.v = start;
    this.turns.set(job.project, { vt, last: this.starts });
    row.last = this.starts;
    Object.assign(job, { state: "running", worker, attempt: job.attempt + 1, leaseUntil: this.time + 45_000, at: 0 });
    job.endAt = job.timeoutMs === undefined ? Infinity : this.time + job.timeoutMs;
    if (job.isUniqueUntilStart) this.freeKey(job);
    const idle = [...this.turns].filter(([project]) => this.isIdle(project));
    idle.sort(([a, x], [b, y]) => x.vt - y.vt || compareNames(a, b));
    for (const [project, turn] of idle.slice(0, 2)) if (turn.vt <= this.v) this.turns.delete(project);
  }

  /** A job whose path became free starts at once, if the caps allow it and no other project is ahead. */
  protected startUnlocked(job: ModelJob): boolean {
    job.state = "ready";
    const mayStart = this.mayStart(job);
    job.state = "locking";
    if (!mayStart) return false;
    const [ahead] = this.startable()
      .map(({ project }) => project)
      .sort(this.compareProjects);
    if (ahead !== undefined && this.compareProjects(ahead, job.project) < 0) return false;
    const startable = new Set([...this.startable().map(({ project }) => project), job.project]);
    const worker = this.workerFor(job);
    return worker !== undefined && this.dispatch(job, worker, startable);
  }

  protected freeLockOf({ id, lock }: ModelJob): void {
    if (lock !== undefined && this.holds.get(lock)?.owner === id) this.freePath(lock);
  }

  protected freePath(path: string): void {
    this.holds.delete(path);
    this.handOver(path);
  }

  /** Each job leaves the queue of a free path until one of them starts. */
  protected handOver(path: string): void {
    for (let [job] = this.queueOf(path); job !== undefined && !this.holds.has(path); [job] = this.queueOf(path)) {
      if (job.patientUntil <= this.time) this.leaveQueue(job);
      else {
        this.queueOf(path).shift();
        if (!this.startUnlocked(job)) this.back(job, undefined);
        this.isLeft ||= this.startable().length > 0;
      }
    }
  }

  /** The patience of a job is over: its attempt fails. */
  protected leaveQueue(job: ModelJob): void {
    const queue = this.queueOf(job.lock ?? "");
    queue.splice(queue.indexOf(job), 1);
    job.attempt += 1;
    this.failAttempt(job, true);
    this.isLeft ||= this.startable().length > 0;
  }

  /** The attempt has ended without its worker. Its lock stays, stale. */
  protected leaveStale({ id, lock }: ModelJob): void {
    const hold = lock === undefined ? undefined : this.holds.get(lock);
    if (hold?.owner === id) hold.isClaimed = false;
  }

  protected failAttempt(job: ModelJob, retries: boolean): void {
    if (!retries || job.attempt >= job.maxAttempts) this.failJob(job);
    else this.back(job, this.time + backoffOf(job.id, job.attempt, 1_000));
  }

  protected failJob(job: ModelJob): void {
    job.state = "failed";
    job.after.clear();
    this.freeKey(job);
    this.leaveWorker(job);
  }

  protected leaveWorker(job: ModelJob): void {
    const { worker } = job;
    [job.worker, job.cancel, job.endAt, job.leaseUntil] = ["", undefined, Infinity, 0];
    job.percent = undefined;
    this.forgetWorker(worker);
    this.forgetIdle(job.project);
  }

  protected back(job: ModelJob, at: number | undefined): void {
    [job.state, job.at] = at === undefined ? ["ready", 0] : ["scheduled", at];
    this.leaveWorker(job);
  }

  protected end(job: ModelJob, isCompleted: boolean): void {
    this.jobs.delete(job.id);
    const queue = this.queueOf(job.lock ?? "");
    if (queue.includes(job)) queue.splice(queue.indexOf(job), 1);
    this.freeKey(job);
    this.forgetWorker(job.worker);
    if (isCompleted) this.completed.add(job.id);
    this.forgetIdle(job.project);
    for (const other of this.jobs.values()) {
      if (!other.after.delete(job.id) || other.state !== "waiting") continue;
      if (!isCompleted) this.failJob(other);
      else if (other.after.size === 0)
        [other.state, other.at] = other.at > this.time ? ["scheduled", other.at] : ["ready", 0];
    }
  }

  protected freeKey({ id, unique }: ModelJob): void {
    const held = unique === undefined ? undefined : this.keys.get(unique);
    if (unique !== undefined && held?.id === id && held.until === undefined) this.keys.delete(unique);
  }
}
