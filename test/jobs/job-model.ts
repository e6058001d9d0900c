/**
 * A plain model of the queue, without locks. It has no index and no counter: it examines every job and every worker at
 * every start. The machine must start the same jobs in the same order.
 */
import { backoffOf } from "../../server/src/packs/jobs/backoff-of.ts";

export interface ModelJob {
  readonly id: string;
  readonly type: string;
  readonly project: string;
  readonly priority: number;
  readonly seq: number;
  readonly cost: number;
  readonly maxAttempts: number;
  readonly timeoutMs: number | undefined;
  readonly after: Set<string>;
  state: string;
  at: number;
  attempt: number;
  crashes: number;
  worker: string;
  leaseUntil: number;
  endAt: number;
  cancel: string | undefined;
}

interface ModelWorker {
  types: readonly string[];
  slots: number;
  until: number;
  last: number;
}

interface ModelCaps {
  global: number;
  project: number;
  classes: Record<string, number>;
}

const turnSize = 1_000_000;

export class JobModel {
  time = 1_000_000;
  readonly jobs = new Map<string, ModelJob>();
  readonly workers = new Map<string, ModelWorker>();
  readonly turns = new Map<string, { vt: number; last: number }>();
  readonly completed = new Set<string>();
  readonly paused = new Set<string>();
  readonly caps: ModelCaps = { global: 1_000, project: 50, classes: { io: 1_000, cpu: 4 } };
  readonly weights = new Map<string, number>();
  readonly classOf = (type: string): string => (type === "c" ? "cpu" : "io");
  v = 0;
  #starts = 0;
  #submitted = 0;
  /** The jobs that the last command started, each with the projects that could have been started instead. */
  started: { readonly id: string; readonly project: string; readonly startable: ReadonlySet<string> }[] = [];

  submit(job: Omit<ModelJob, "seq" | "attempt" | "crashes" | "worker" | "leaseUntil" | "endAt" | "cancel">): void {
    const rest = { attempt: 0, crashes: 0, worker: "", leaseUntil: 0, endAt: Infinity, cancel: undefined };
    this.#submitted += 1;
    this.jobs.set(job.id, { ...job, ...rest, seq: this.#submitted });
    this.fill();
  }

  running(is: (job: ModelJob) => boolean = () => true): number {
    return [...this.jobs.values()].filter((job) => job.state === "running" && is(job)).length;
  }

  offer(worker: string, types: readonly string[], slots: number): void {
    const last = this.workers.get(worker)?.last ?? 0;
    this.workers.set(worker, { types, slots, until: this.time + 25_000, last });
    this.fill();
    this.#forgetIdle();
  }

  beat(worker: string): void {
    const row = this.workers.get(worker);
    if (row !== undefined && row.types.length > 0 && row.until > this.time) row.until = this.time + 25_000;
    for (const job of this.jobs.values())
      if (job.worker === worker && job.state === "running" && job.leaseUntil > this.time)
        job.leaseUntil = this.time + 45_000;
  }

  complete(job: ModelJob): void {
    this.#end(job, true);
    this.fill();
  }

  fail(job: ModelJob, retries: boolean): void {
    if (job.cancel === "cancelled") this.#end(job, false);
    else this.#failAttempt(job, retries);
    this.fill();
  }

  release(job: ModelJob, delayMs: number): void {
    if (job.cancel === "cancelled") this.#end(job, false);
    else {
      job.attempt -= 1;
      this.#back(job, delayMs === 0 ? undefined : this.time + delayMs);
    }
    this.fill();
  }

  cancel(job: ModelJob): void {
    if (job.state !== "running") this.#end(job, false);
    else if (job.cancel !== "cancelled") [job.cancel, job.endAt] = ["cancelled", this.time + 30_000];
    this.fill();
  }

  retryFailed(type: string): void {
    for (const job of this.jobs.values()) {
      if (job.state !== "failed" || job.type !== type) continue;
      [job.attempt, job.crashes] = [0, 0];
      this.#back(job, undefined);
    }
    this.fill();
  }

  /** Advances the time. Timers fire in a fixed order of their kinds. */
  pass(ms: number): void {
    this.time += ms;
    while (this.#fireOne());
  }

  #fireOne(): boolean {
    const jobs = [...this.jobs.values()];
    const due = jobs.filter((job) => job.state === "scheduled" && job.at <= this.time);
    if (due.length > 0) {
      for (const job of due) this.#back(job, undefined);
      this.fill();
      return true;
    }
    const first = (key: "leaseUntil" | "endAt"): ModelJob | undefined =>
      jobs
        .filter((job) => job.state === "running" && job[key] <= this.time)
        .sort((a, b) => a[key] - b[key] || compare(a.id, b.id))[0];
    const lost = first("leaseUntil");
    if (lost !== undefined) {
      this.#lose(lost);
      this.fill();
      return true;
    }
    const over = first("endAt");
    if (over !== undefined) {
      if (over.cancel === undefined) [over.cancel, over.endAt] = ["timeout", this.time + 30_000];
      else {
        if (over.cancel === "cancelled") this.#end(over, false);
        else this.#failAttempt(over, true);
        this.fill();
      }
      return true;
    }
    const offer = [...this.workers].find(([, row]) => row.types.length > 0 && row.until <= this.time);
    if (offer === undefined) return false;
    this.#withdraw(offer[1]);
    return true;
  }

  #withdraw(row: ModelWorker): void {
    row.types = [];
    row.slots = 0;
  }

  #lose(job: ModelJob): void {
    job.crashes += 1;
    if (job.crashes >= 3) this.#failJob(job);
    else {
      job.attempt -= 1;
      this.#back(job, this.time + backoffOf(job.id, job.crashes, 1_000));
    }
  }

  #failAttempt(job: ModelJob, retries: boolean): void {
    if (!retries || job.attempt >= job.maxAttempts) this.#failJob(job);
    else this.#back(job, this.time + backoffOf(job.id, job.attempt, 1_000));
  }

  #failJob(job: ModelJob): void {
    job.state = "failed";
    job.after.clear();
    this.#leaveWorker(job);
  }

  #leaveWorker(job: ModelJob): void {
    [job.worker, job.cancel, job.endAt, job.leaseUntil] = ["", undefined, Infinity, 0];
    this.#forgetIdle(job.project);
  }

  #back(job: ModelJob, at: number | undefined): void {
    [job.state, job.at] = at === undefined ? ["ready", 0] : ["scheduled", at];
    this.#leaveWorker(job);
  }

  #end(job: ModelJob, isCompleted: boolean): void {
    this.jobs.delete(job.id);
    if (isCompleted) this.completed.add(job.id);
    this.#forgetIdle(job.project);
    for (const other of this.jobs.values()) {
      if (!other.after.delete(job.id) || other.state !== "waiting") continue;
      if (!isCompleted) this.#failJob(other);
      else if (other.after.size === 0)
        [other.state, other.at] = other.at > this.time ? ["scheduled", other.at] : ["ready", 0];
    }
  }

  #isIdle(project: string): boolean {
    return ![...this.jobs.values()].some((job) => job.project === project && job.state !== "failed");
  }

  /** An idle project is forgotten when the virtual time has passed its own. */
  #forgetIdle(project?: string): void {
    if (project === undefined) return;
    const turn = this.turns.get(project);
    if (turn !== undefined && turn.vt <= this.v && this.#isIdle(project)) this.turns.delete(project);
  }

  #freeWorkers(type: string): [string, ModelWorker][] {
    return [...this.workers]
      .filter(([id, row]) => row.types.includes(type) && this.running((job) => job.worker === id) < row.slots)
      .sort(([a, x], [b, y]) => x.last - y.last || compare(a, b));
  }

  /** Every ready job that the caps and the offers allow to start. */
  #startable(): ModelJob[] {
    if (this.running() >= this.caps.global) return [];
    return [...this.jobs.values()].filter((job) => {
      if (job.state !== "ready" || this.paused.has(job.type)) return false;
      const jobClass = this.classOf(job.type);
      if (this.running(({ type }) => this.classOf(type) === jobClass) >= (this.caps.classes[jobClass] ?? 0))
        return false;
      if (this.running(({ project }) => project === job.project) >= this.caps.project) return false;
      return this.#freeWorkers(job.type).length > 0;
    });
  }

  fill(): void {
    for (let jobs = this.#startable(); jobs.length > 0; jobs = this.#startable()) {
      const turnOf = (project: string) => this.turns.get(project) ?? { vt: 0, last: 0 };
      const startable = new Set(jobs.map(({ project }) => project));
      const [project = ""] = [...startable].sort((a, b) => {
        const [x, y] = [turnOf(a), turnOf(b)];
        return x.vt - y.vt || x.last - y.last || compare(a, b);
      });
      const [job] = jobs
        .filter((each) => each.project === project)
        .sort((a, b) => b.priority - a.priority || a.seq - b.seq);
      if (job === undefined) return;
      const [entry] = this.#freeWorkers(job.type);
      if (entry === undefined) return;
      const [worker, row] = entry;
      if (row.until <= this.time) {
        this.#withdraw(row);
        continue;
      }
      this.#start(job, worker, row);
      this.started.push({ id: job.id, project, startable });
    }
  }

  #start(job: ModelJob, worker: string, row: ModelWorker): void {
    this.#starts += 1;
    const start = Math.max(this.turns.get(job.project)?.vt ?? 0, this.v);
    const vt = start + Math.ceil((turnSize * job.cost) / (this.weights.get(job.project) ?? 1));
    this.v = start;
    this.turns.set(job.project, { vt, last: this.#starts });
    row.last = this.#starts;
    Object.assign(job, { state: "running", worker, attempt: job.attempt + 1, leaseUntil: this.time + 45_000, at: 0 });
    job.endAt = job.timeoutMs === undefined ? Infinity : this.time + job.timeoutMs;
    const idle = [...this.turns].filter(([project]) => this.#isIdle(project));
    idle.sort(([a, x], [b, y]) => x.vt - y.vt || compare(a, b));
    for (const [project, turn] of idle.slice(0, 2)) if (turn.vt <= this.v) this.turns.delete(project);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
