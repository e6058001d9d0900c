import type { Json } from "@holdfast/sdk/json/json";
import type { Clock } from "../base/clock.ts";
import type { CheckSteps, CheckWork } from "./check.ts";
import { checkLimits } from "./check-limits.ts";
import type { CheckOrder, CheckReport } from "./check-port.ts";

type OpenOrder = Extract<CheckOrder, { kind: "open" }>;

export interface CheckWorkLoopOptions {
  readonly clock: Clock;
  readonly open: (order: OpenOrder) => CheckWork | Promise<CheckWork>;
  readonly report: (report: CheckReport) => void;
  /** The processor time of this thread. On a busy host it is far less than the time that passed. */
  readonly processorMs?: () => number;
  /** An order that has arrived and was not taken, for work that pauses. Without it work never pauses. */
  readonly receive?: () => CheckOrder | undefined;
}

interface CheckJob {
  readonly id: number;
  readonly check: OpenedCheck;
  /** Jobs of one unit depend on each other. Only a job of another unit interrupts a long one. */
  readonly unit: string;
  readonly start: () => CheckSteps;
  steps: CheckSteps | undefined;
  /** Processor time since it began, or since it let jobs of another unit proceed. */
  usedMs: number;
}

/** A check whose module is loaded, or the orders that wait for it. */
interface OpenedCheck {
  work: CheckWork | undefined;
  fault: string | undefined;
  readonly orders: CheckOrder[];
  readonly units: Set<string>;
  /** Jobs that wait for the rows of a unit. */
  readonly jobsByUnit: Map<string, CheckJob[]>;
}

/**
 * Executes the orders of a runner. Jobs run in the order of arrival. A job that runs for a long time gets half of the
 * time while short ones arrive, so that they do not wait for it. Long jobs of one unit run one after the other. Each of
 * them changes what the others read, so jobs that take turns would only repeat each other.
 */
export class CheckWorkLoop {
  readonly #options: CheckWorkLoopOptions;
  readonly #checks = new Map<string, OpenedCheck>();
  #ready: CheckJob[] = [];
  /** Long jobs by unit, in order. The unit whose turn is next comes first. */
  readonly #long = new Map<string, CheckJob[]>();
  /** Processor time of long jobs minus that of short ones, within one turn up or down. Negative: a long job is next. */
  #longMs = 0;
  #running: CheckJob | undefined;
  /** The processor time at which the running job began or was last measured. */
  #measuredMs = 0;
  #isPaused = false;
  #isScheduled = false;
  readonly #processorMs: () => number;

  constructor(options: CheckWorkLoopOptions) {
    this.#options = options;
    this.#processorMs = options.processorMs ?? (() => options.clock.monotonicMs());
  }

  take(order: CheckOrder): void {
    if (order.kind === "open") {
      this.#open(order);
      return;
    }
    const check = this.#checks.get(order.check);
    if (check === undefined) throw new Error(`the check ${order.check} was not opened`);
    if (order.kind === "cancel") this.#options.report({ kind: "cancelled", job: order.job });
    // A cancelled job may be among the orders that wait.
    if (check.work === undefined && check.fault === undefined) check.orders.push(order);
    else this.#execute(check, order);
  }

  #open(order: OpenOrder): void {
    const check: OpenedCheck = {
      work: undefined,
      fault: undefined,
      orders: [],
      units: new Set(),
      jobsByUnit: new Map(),
    };
    this.#checks.set(order.check, check);
    const begin = (): void => {
      const opened = { kind: "opened", check: order.check } as const;
      this.#options.report(check.fault === undefined ? opened : { ...opened, fault: check.fault });
      for (const waiting of check.orders.splice(0)) this.#execute(check, waiting);
    };
    const fail = (error: unknown): void => {
      check.fault = `${order.module} cannot be loaded: ${messageOf(error)}`;
      begin();
    };
    try {
      const work = this.#options.open(order);
      if (!(work instanceof Promise)) {
        check.work = work;
        begin();
        return;
      }
      work.then((opened) => {
        check.work = opened;
        begin();
      }, fail);
    } catch (error) {
      fail(error);
    }
  }

  #execute(check: OpenedCheck, order: CheckOrder): void {
    const { work } = check;
    if (work === undefined) {
      if ("job" in order && order.kind !== "cancel") this.#fail(order.job, check.fault ?? "the check is not loaded");
      return;
    }
    switch (order.kind) {
      case "load":
        work.load(order.unit, order.rows, order.isLast);
        if (order.isLast) this.#resume(check, order.unit);
        break;
      case "apply":
        work.apply({ position: order.position, rows: order.rows });
        break;
      case "unload":
        check.units.delete(order.unit);
        work.unload(order.unit);
        break;
      case "prepare":
        this.#add({ id: order.job, check, unit: order.request.unit, start: () => work.prepare(order.request) });
        break;
      case "ask":
        // No other job depends on an answer, so it is a unit of its own.
        this.#add({ id: order.job, check, unit: `job ${String(order.job)}`, start: () => asked(work, order.question) });
        break;
      case "answered":
        work.answered?.(order.id, order.isDone);
        break;
      case "cancel":
        this.#cancel(check, order.job);
        break;
      case "open":
        throw new Error("unreachable: a check is opened once");
    }
  }

  #add(job: Pick<CheckJob, "id" | "check" | "unit" | "start">): void {
    this.#ready.push({ ...job, steps: undefined, usedMs: 0 });
    this.#schedule();
  }

  #cancel(check: OpenedCheck, id: number): void {
    const without = (jobs: readonly CheckJob[]): CheckJob[] => jobs.filter((job) => job.id !== id);
    this.#ready = without(this.#ready);
    for (const [unit, jobs] of this.#long) this.#setLong(unit, without(jobs));
    for (const [unit, jobs] of check.jobsByUnit) check.jobsByUnit.set(unit, without(jobs));
  }

  #setLong(unit: string, jobs: CheckJob[]): void {
    if (jobs.length === 0) this.#long.delete(unit);
    else this.#long.set(unit, jobs);
  }

  #resume(check: OpenedCheck, unit: string): void {
    check.units.add(unit);
    this.#ready.push(...(check.jobsByUnit.get(unit) ?? []));
    check.jobsByUnit.delete(unit);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#next() === undefined) return;
    this.#isScheduled = true;
    this.#options.clock.soon(() => {
      this.#isScheduled = false;
      const { clock } = this.#options;
      const endMs = clock.monotonicMs() + checkLimits.turnMs;
      for (let job = this.#next(); job !== undefined; job = this.#next()) {
        this.#run(job, endMs);
        if (clock.monotonicMs() >= endMs) break;
      }
      this.#schedule();
    });
  }

  #next(): CheckJob | undefined {
    const [unit] = this.#long.values();
    const [job, long] = [this.#ready[0], unit?.[0]];
    return this.#longMs < 0 ? (long ?? job) : (job ?? long);
  }

  /** Takes a job from its queue. A cancelled job is in none. */
  #take(job: CheckJob): void {
    const isOther = (each: CheckJob): boolean => each !== job;
    this.#ready = this.#ready.filter(isOther);
    this.#setLong(job.unit, this.#long.get(job.unit)?.filter(isOther) ?? []);
  }

  #isLong(job: CheckJob): boolean {
    return this.#long.get(job.unit)?.includes(job) === true;
  }

  /** Counts the time of the running job since it was last measured. */
  #measure(job: CheckJob): void {
    const nowMs = this.#processorMs();
    const ms = nowMs - this.#measuredMs;
    this.#measuredMs = nowMs;
    job.usedMs += ms;
    const { turnMs } = checkLimits;
    this.#longMs = Math.max(-turnMs, Math.min(turnMs, this.#longMs + (this.#isLong(job) ? ms : -ms)));
  }

  /**
   * Runs short jobs inside of a step of a long one: the step may be an execution that cannot yield. They see the rows of
   * this moment, and the long job sees those of its beginning.
   */
  readonly pause = (): void => {
    const { receive, clock } = this.#options;
    const job = this.#running;
    if (receive === undefined || job === undefined || this.#isPaused) return;
    this.#measure(job);
    if (!this.#isLong(job) && (job.usedMs < checkLimits.yieldAfterMs || this.#ready[0] !== job)) return;
    if (!this.#isLong(job)) this.#yield(job);
    for (let order = receive(); order !== undefined; order = receive()) this.take(order);
    this.#isPaused = true;
    const endMs = clock.monotonicMs() + checkLimits.turnMs;
    for (let next = this.#ready[0]; next !== undefined && this.#longMs >= 0; next = this.#ready[0]) {
      this.#run(next, endMs);
      if (clock.monotonicMs() >= endMs) break;
    }
    this.#running = job;
    this.#measuredMs = this.#processorMs();
    this.#isPaused = false;
  };

  /** Runs a job until it ends, waits for a unit, or the turn is over. */
  #run(job: CheckJob, endMs: number): void {
    const { clock, report } = this.#options;
    this.#running = job;
    this.#measuredMs = this.#processorMs();
    try {
      for (;;) {
        const step = (job.steps ??= job.start()).next();
        const nowMs = clock.monotonicMs();
        const isOver = step.done === true || step.value !== undefined;
        if (!isOver && nowMs < endMs) continue;
        this.#measure(job);
        if (!isOver) {
          if (job.usedMs >= checkLimits.yieldAfterMs) this.#yield(job);
          return;
        }
        this.#take(job);
        if (step.done === true) report({ kind: "result", job: job.id, result: step.value });
        else if (step.value !== undefined) this.#wait(job, step.value);
        return;
      }
    } catch (error) {
      this.#take(job);
      this.#fail(job.id, messageOf(error));
    } finally {
      this.#running = undefined;
    }
  }

  /** A job that has become long joins those of its unit. A long job lets those of other units proceed. */
  #yield(job: CheckJob): void {
    job.usedMs = 0;
    const jobs = this.#long.get(job.unit) ?? [];
    if (this.#ready[0] === job) {
      this.#ready.shift();
      this.#long.set(job.unit, [...jobs, job]);
      this.#longMs = 0;
      return;
    }
    // A job that was cancelled inside of its own step is in no queue.
    if (!jobs.includes(job)) return;
    this.#long.delete(job.unit);
    this.#long.set(job.unit, jobs);
  }

  #wait(job: CheckJob, unit: string): void {
    const { units, jobsByUnit } = job.check;
    if (units.has(unit)) {
      this.#ready.unshift(job);
      return;
    }
    jobsByUnit.set(unit, [...(jobsByUnit.get(unit) ?? []), job]);
    this.#options.report({ kind: "needs", job: job.id, unit });
  }

  #fail(job: number, reason: string): void {
    this.#options.report({ kind: "failed", job, reason });
  }
}

function asked(work: CheckWork, question: Json): CheckSteps {
  if (work.ask === undefined) throw new Error("this check answers no questions");
  return work.ask(question);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
