import type { Json } from "@holdfast/sdk/json/json";
import type { Clock } from "../base/clock.ts";
import type { Check, CheckRequest } from "./check.ts";
import { CheckError } from "./check.ts";
import { checkLimits } from "./check-limits.ts";
import type { CheckOrder, CheckPort, CheckReport, OpenCheckPort } from "./check-port.ts";
import { RowFeed } from "./row-feed.ts";
import type { RowSource } from "./row-feed.ts";

/** A check or a question for a thread. */
export interface LaneJob {
  readonly check: Check;
  readonly unit: string;
  /** The rows must include every entry up to this position. */
  readonly after: number;
  readonly order:
    | { readonly kind: "prepare"; readonly request: CheckRequest }
    | { readonly kind: "ask"; readonly question: Json };
  readonly done: (value: Json) => void;
  readonly fail: (error: CheckError) => void;
  isOver: boolean;
}

interface CheckLaneOptions {
  readonly checks: ReadonlyMap<string, Check>;
  readonly source: RowSource;
  readonly openPort: OpenCheckPort;
  readonly clock: Clock;
  readonly report: (message: string, cause: unknown) => void;
  readonly loadedBytesMax?: number | undefined;
}

interface RunningLane {
  readonly port: CheckPort;
  /** It follows the journal, which costs time for every entry. So it begins with the first job. */
  feed: RowFeed | undefined;
  readonly opened: Set<string>;
}

interface RunningJob {
  readonly job: LaneJob;
  readonly units: Set<string>;
  isPosted: boolean;
}

/** One thread with its rows and its jobs. It starts with the first job unless `start` was called, and again after it ended by itself. */
export class CheckLane {
  readonly #options: CheckLaneOptions;
  readonly #jobs = new Map<number, RunningJob>();
  readonly #numbers = new Map<LaneJob, number>();
  /** By cancelled job: ends the wait for the thread to stop it. */
  readonly #cancelled = new Map<number, () => void>();
  /** By name of a check: ends the wait for its module. */
  readonly #loading = new Map<string, () => void>();
  #running: RunningLane | undefined;
  #closing: Promise<void> = Promise.resolve();
  #lastNumber = 0;
  restartCount = 0;

  constructor(options: CheckLaneOptions) {
    this.#options = options;
  }

  /** Starts the thread before the first job, and waits until the modules of all checks are loaded or have a fault. */
  async start(): Promise<void> {
    const lane = (this.#running ??= this.#open());
    const checks = [...this.#options.checks.values()].filter(({ name }) => !lane.opened.has(name));
    const loaded = checks.map(({ name }) => new Promise<void>((resolve) => this.#loading.set(name, resolve)));
    for (const check of checks) this.#load(lane, check);
    await Promise.all(loaded);
  }

  add(job: LaneJob): void {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#numbers.set(job, number);
    this.#jobs.set(number, { job, units: new Set(), isPosted: false });
    try {
      const lane = (this.#running ??= this.#open());
      this.#load(lane, job.check);
      const loaded = this.#ready(lane, number, job);
      if (loaded === undefined) this.#post(number);
      else
        loaded.then(
          () => {
            this.#post(number);
          },
          (error: unknown) => {
            this.#failJob(number, error);
          },
        );
    } catch (error) {
      this.#failJob(number, error);
    }
  }

  /** Forgets a job that is over. If it is in the thread, the thread stops it. */
  remove(job: LaneJob): void {
    const number = this.#numbers.get(job);
    const running = number === undefined ? undefined : this.#jobs.get(number);
    if (number === undefined || running === undefined) return;
    this.#numbers.delete(job);
    this.#jobs.delete(number);
    for (const unit of running.units) this.#running?.feed?.release(job.check, unit);
    if (running.isPosted && this.#running !== undefined) this.#cancel(this.#running, job, number);
  }

  /**
   * A check that never yields cannot be stopped. Then its thread ends, and with it every check in it. On a busy host the
   * thread may get no processor for seconds, so its own processor time counts.
   */
  #cancel(lane: RunningLane, job: LaneJob, number: number): void {
    lane.port.post({ kind: "cancel", check: job.check.name, job: number });
    const { cancelMs, cancelLookMs, cancelWallMs } = checkLimits;
    let firstMs: number | undefined;
    let usedMs = 0;
    let waitedMs = 0;
    const measure = (): void => {
      lane.port.usedMs().then(
        (ms) => {
          firstMs ??= ms;
          usedMs = ms - firstMs;
        },
        // The thread starts or has ended. An ended thread is reported by itself.
        () => undefined,
      );
    };
    const look = (): void => {
      waitedMs += cancelLookMs;
      if (usedMs < cancelMs && waitedMs < cancelWallMs) {
        wait();
        return;
      }
      this.#cancelled.delete(number);
      if (this.#running === lane) this.#break(new Error(`the check ${job.check.name} does not stop`));
    };
    const wait = (): void => {
      measure();
      this.#cancelled.set(number, this.#options.clock.after(cancelLookMs, look, { keepAlive: false }));
    };
    wait();
  }

  #break(error: Error): void {
    this.restartCount += 1;
    this.#options.report(`the thread of checks ended; the next check starts a new one: ${error.message}`, error);
    this.#stop(new CheckError("check_unavailable", "the thread of checks ended"));
  }

  /** Sends an order about an earlier job, if the thread has its check. A new thread may not have loaded it. */
  post(order: CheckOrder): void {
    if (this.#running?.opened.has(order.check) === true) this.#running.port.post(order);
  }

  async close(): Promise<void> {
    this.#stop(new CheckError("check_unavailable", "this node is stopping"));
    await this.#closing;
  }

  #open(): RunningLane {
    const lane: RunningLane = {
      opened: new Set(),
      feed: undefined,
      port: this.#options.openPort({
        report: (message) => {
          if (this.#running === lane) this.#receive(lane, message);
        },
        broken: (error) => {
          if (this.#running === lane) this.#break(error);
        },
      }),
    };
    return lane;
  }

  #feedOf(lane: RunningLane): RowFeed {
    const { source, loadedBytesMax } = this.#options;
    lane.feed ??= new RowFeed({
      source,
      loadedBytesMax,
      post: (order) => {
        lane.port.post(order);
      },
      lost: () => {
        if (this.#running === lane) this.#stop(new CheckError("check_unavailable", "the state is being reloaded"));
      },
    });
    return lane.feed;
  }

  #load({ opened, port }: RunningLane, { name, module, options = null }: Check): void {
    if (opened.has(name)) return;
    opened.add(name);
    port.post({ kind: "open", check: name, module: module.href, options });
  }

  /** Undefined if the rows are in the thread already. */
  #ready(lane: RunningLane, number: number, { check, unit, after }: LaneJob): Promise<unknown> | undefined {
    this.#jobs.get(number)?.units.add(unit);
    const feed = this.#feedOf(lane);
    const waits = [feed.use(check, unit), feed.reach(after)].filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  #post(number: number): void {
    const running = this.#jobs.get(number);
    if (running === undefined) return;
    running.isPosted = true;
    const { check, order } = running.job;
    this.post({ ...order, check: check.name, job: number });
  }

  #receive(lane: RunningLane, message: CheckReport): void {
    if (message.kind === "opened") {
      const { check, fault } = message;
      if (fault !== undefined) this.#options.report(`the check ${check} cannot run: ${fault}`, new Error(fault));
      this.#loading.get(check)?.();
      this.#loading.delete(check);
      return;
    }
    if (message.kind === "cancelled") {
      this.#cancelled.get(message.job)?.();
      this.#cancelled.delete(message.job);
      return;
    }
    const running = this.#jobs.get(message.job);
    if (running === undefined) return;
    const { job, units } = running;
    if (message.kind === "needs") {
      if (!units.has(message.unit)) {
        units.add(message.unit);
        this.#feedOf(lane)
          .use(job.check, message.unit)
          ?.catch((error: unknown) => {
            this.#failJob(message.job, error);
          });
      }
      return;
    }
    running.isPosted = false;
    if (message.kind === "result") job.done(message.result);
    else this.#failJob(message.job, new Error(message.reason));
  }

  #failJob(number: number, error: unknown): void {
    const running = this.#jobs.get(number);
    if (running === undefined) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.report(`the check ${running.job.check.name} failed: ${reason}`, error);
    running.job.fail(new CheckError("check_unavailable", "the check failed; the server's log has the reason"));
  }

  /** Ends the thread. Its jobs fail, and its rows are gone. */
  #stop(error: CheckError): void {
    const lane = this.#running;
    if (lane === undefined) return;
    this.#running = undefined;
    lane.feed?.end();
    for (const stopWaiting of this.#cancelled.values()) stopWaiting();
    this.#cancelled.clear();
    for (const endWait of this.#loading.values()) endWait();
    this.#loading.clear();
    const closed = lane.port.close();
    this.#closing = Promise.all([this.#closing, closed]).then(() => undefined);
    for (const { job } of [...this.#jobs.values()]) job.fail(error);
  }
}
