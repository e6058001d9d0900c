import { compareNames, workOfModel } from "./model-job.ts";
import type { ModelCaps, ModelHold, ModelJob, ModelWorker } from "./model-job.ts";

/** The grace of workspace locks. It is longer than their leases. */
const lockGraceMs = 90_000;

/** The state of the plain model, and the questions that it answers by examining everything. */
export class JobModelState {
  time = 1_000_000;
  readonly jobs = new Map<string, ModelJob>();
  readonly workers = new Map<string, ModelWorker>();
  readonly turns = new Map<string, { vt: number; last: number }>();
  readonly completed = new Set<string>();
  readonly paused = new Set<string>();
  readonly caps: ModelCaps = { global: 1_000, project: 50, map: 2, classes: { io: 1_000, cpu: 4 } };
  /** The job of each unique key, and the time at which the key is free, if it does not follow the job. */
  readonly keys = new Map<string, { readonly id: string; readonly until: number | undefined }>();
  readonly weights = new Map<string, number>();
  readonly holds = new Map<string, ModelHold>();
  /** The jobs in the queue of each path, first come, first served. */
  readonly queues = new Map<string, ModelJob[]>();
  /** A hand-over left jobs that may start. A timer of the machine starts them. */
  protected isLeft = false;
  /** Number of jobs that were started or queued for a lock, and of offers that ended. */
  protected moves = 0;
  readonly classOf = (type: string): string => (type === "c" ? "cpu" : "io");
  v = 0;
  protected starts = 0;
  /** The jobs that the last command started, each with the projects that could have been started instead. */
  started: { readonly id: string; readonly project: string; readonly startable: ReadonlySet<string> }[] = [];

  running(is: (job: ModelJob) => boolean = () => true): number {
    return [...this.jobs.values()].filter((job) => job.state === "running" && is(job)).length;
  }

  protected isIdle(project: string): boolean {
    return ![...this.jobs.values()].some((job) => job.project === project && job.state !== "failed");
  }

  /** An idle project is forgotten when the virtual time has passed its own. */
  protected forgetIdle(project?: string): void {
    if (project === undefined) return;
    const turn = this.turns.get(project);
    if (turn !== undefined && turn.vt <= this.v && this.isIdle(project)) this.turns.delete(project);
  }

  protected freeWorkers(job: ModelJob): [string, ModelWorker][] {
    return [...this.workers]
      .filter(
        ([id, row]) => row.works.includes(workOfModel(job)) && this.running((other) => other.worker === id) < row.slots,
      )
      .sort(([a, x], [b, y]) => x.last - y.last || compareNames(a, b));
  }

  /** Every ready job that the caps and the offers allow to start. */
  protected startable(): ModelJob[] {
    return [...this.jobs.values()].filter((job) => this.mayStart(job));
  }

  protected mayStart(job: ModelJob): boolean {
    if (this.running() >= this.caps.global || job.state !== "ready" || this.paused.has(job.type)) return false;
    const jobClass = this.classOf(job.type);
    if (this.running(({ type }) => this.classOf(type) === jobClass) >= (this.caps.classes[jobClass] ?? 0)) return false;
    const ofProject = (other: ModelJob): boolean => other.project === job.project;
    if (this.running(ofProject) >= this.caps.project) return false;
    const locking = [...this.jobs.values()].filter((other) => ofProject(other) && other.state === "locking").length;
    if (locking >= this.caps.project) return false;
    if (job.isMap && this.running((other) => ofProject(other) && other.isMap) >= this.caps.map) return false;
    return this.freeWorkers(job).length > 0;
  }

  protected readonly compareProjects = (a: string, b: string): number => {
    const turnOf = (project: string) => this.turns.get(project) ?? { vt: 0, last: 0 };
    const [x, y] = [turnOf(a), turnOf(b)];
    return x.vt - y.vt || x.last - y.last || compareNames(a, b);
  };

  protected isOverdue(path: string): boolean {
    const hold = this.holds.get(path);
    return hold !== undefined && !hold.isClaimed && hold.heartbeatAt + lockGraceMs <= this.time;
  }

  protected queueOf(path: string): ModelJob[] {
    const queue = this.queues.get(path) ?? [];
    this.queues.set(path, queue);
    return queue;
  }

  /** A worker without offers and jobs is forgotten, and so is its place in the order of workers. */
  protected forgetWorker(worker: string): void {
    const isIdle = this.running((job) => job.worker === worker) === 0;
    if (isIdle && this.workers.get(worker)?.works.length === 0) this.workers.delete(worker);
  }

  protected withdraw(worker: string, row: ModelWorker): void {
    this.moves += 1;
    row.works = [];
    row.slots = 0;
    this.forgetWorker(worker);
  }
}
