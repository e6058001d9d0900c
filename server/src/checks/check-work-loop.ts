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
}

interface CheckJob {
  readonly id: number;
  readonly check: OpenedCheck;
  readonly start: () => CheckSteps;
  steps: CheckSteps | undefined;
  /** Time since its last turn at the front. */
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
 * Executes the orders of a runner. Jobs run in the order of arrival. A job that runs for a long time moves to the end, so that
 * short ones do not wait for it.
 */
export class CheckWorkLoop {
  readonly #options: CheckWorkLoopOptions;
  readonly #checks = new Map<string, OpenedCheck>();
  #ready: CheckJob[] = [];
  #isScheduled = false;

  constructor(options: CheckWorkLoopOptions) {
    this.#options = options;
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
        this.#add({ id: order.job, check, start: () => work.prepare(order.request) });
        break;
      case "ask":
        this.#add({ id: order.job, check, start: () => asked(work, order.question) });
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

  #add(job: Pick<CheckJob, "id" | "check" | "start">): void {
    this.#ready.push({ ...job, steps: undefined, usedMs: 0 });
    this.#schedule();
  }

  #cancel(check: OpenedCheck, id: number): void {
    this.#ready = this.#ready.filter((job) => job.id !== id);
    for (const [unit, jobs] of check.jobsByUnit) {
      check.jobsByUnit.set(
        unit,
        jobs.filter((job) => job.id !== id),
      );
    }
  }

  #resume(check: OpenedCheck, unit: string): void {
    check.units.add(unit);
    this.#ready.push(...(check.jobsByUnit.get(unit) ?? []));
    check.jobsByUnit.delete(unit);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#ready.length === 0) return;
    this.#isScheduled = true;
    this.#options.clock.soon(() => {
      this.#isScheduled = false;
      const { clock } = this.#options;
      const endMs = clock.monotonicMs() + checkLimits.turnMs;
      for (let job = this.#ready[0]; job !== undefined; job = this.#ready[0]) {
        this.#run(job, endMs);
        if (clock.monotonicMs() >= endMs) break;
      }
      this.#schedule();
    });
  }

  /** Runs a job until it ends, waits for a unit, or the turn is over. */
  #run(job: CheckJob, endMs: number): void {
    const { clock, report } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      for (;;) {
        const step = (job.steps ??= job.start()).next();
        const nowMs = clock.monotonicMs();
        if (step.done === true) {
          this.#ready.shift();
          report({ kind: "result", job: job.id, result: step.value });
          return;
        }
        if (step.value !== undefined) {
          this.#ready.shift();
          this.#wait(job, step.value);
          return;
        }
        if (nowMs < endMs) continue;
        job.usedMs += nowMs - startMs;
        if (job.usedMs >= checkLimits.yieldAfterMs) this.#moveToEnd(job);
        return;
      }
    } catch (error) {
      this.#ready.shift();
      this.#fail(job.id, messageOf(error));
    }
  }

  #moveToEnd(job: CheckJob): void {
    job.usedMs = 0;
    this.#ready.push(...this.#ready.splice(0, 1));
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
