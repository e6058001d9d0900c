/**
 * Runs checks in threads. A thread starts with its first check, or with `start`. Checks of one unit go to one thread,
 * in the order of arrival. A check ends with a CheckError if its thread dies, its caller hangs up or its deadline
 * passes. Then nothing was decided, and the caller may send the command again.
 */
import type { Json } from "@holdfast/sdk/json/json";
import type { Clock } from "../base/clock.ts";
import type {
  Check,
  CheckObserver,
  CheckQuestion,
  CheckRequest,
  CheckResult,
  CheckRunner,
  CheckStatus,
} from "./check.ts";
import { CheckError } from "./check.ts";
import { CheckLane } from "./check-lane.ts";
import type { LaneJob } from "./check-lane.ts";
import { checkLimits } from "./check-limits.ts";
import type { OpenCheckPort } from "./check-port.ts";
import type { RowSource } from "./row-feed.ts";

interface CheckRunnerOptions {
  readonly checks: readonly Check[];
  readonly source: RowSource;
  readonly clock: Clock;
  readonly openPort: OpenCheckPort;
  readonly observer: CheckObserver;
  readonly report: (message: string, cause: unknown) => void;
  /** Number of threads; 1 by default. */
  readonly threads?: number | undefined;
  readonly loadedBytesMax?: number | undefined;
}

interface QueuedJob extends LaneJob {
  readonly lane: CheckLane;
  readonly agent: string;
}

export class ThreadedCheckRunner implements CheckRunner {
  readonly #options: CheckRunnerOptions;
  readonly #checks: ReadonlyMap<string, Check>;
  readonly #lanes: readonly CheckLane[];
  /** Checks that wait because their agent has enough in the threads. */
  readonly #queue = new Set<QueuedJob>();
  readonly #runningByAgent = new Map<string, number>();
  /** The lane and the check of each prepared command whose decision is not reported. */
  readonly #prepared = new Map<string, { readonly lane: CheckLane; readonly check: string }>();
  #unfinished = 0;
  #isClosed = false;

  constructor(options: CheckRunnerOptions) {
    this.#options = options;
    this.#checks = new Map(options.checks.map((check) => [check.name, check]));
    if (this.#checks.size < options.checks.length) throw new Error("two checks have the same name");
    this.#lanes = Array.from(
      { length: options.threads ?? 1 },
      () => new CheckLane({ ...options, checks: this.#checks }),
    );
  }

  async start(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.start()));
  }

  prepare(check: string, request: CheckRequest, signal: AbortSignal): Promise<Json> {
    const { unit, after, agent, id } = request;
    this.#prepared.set(id, { lane: this.#laneOf(check, unit), check });
    return this.#run(check, { unit, after, agent, order: { kind: "prepare", request } }, signal);
  }

  ask(check: string, { question, ...asked }: CheckQuestion, signal: AbortSignal): Promise<Json> {
    return this.#run(check, { ...asked, order: { kind: "ask", question } }, signal);
  }

  answered(id: string, isDone: boolean): void {
    const prepared = this.#prepared.get(id);
    this.#prepared.delete(id);
    prepared?.lane.post({ kind: "answered", check: prepared.check, id, isDone });
  }

  noteRounds(check: string, rounds: number): void {
    this.#options.observer.onRounds(check, rounds);
  }

  get names(): readonly string[] {
    return [...this.#checks.keys()];
  }

  status(): CheckStatus {
    return {
      waiting: this.#unfinished,
      restarts: this.#lanes.reduce((sum, { restartCount }) => sum + restartCount, 0),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue) job.fail(new CheckError("check_unavailable", "this node is stopping"));
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  async #run(
    name: string,
    work: Pick<LaneJob, "unit" | "after" | "order"> & { readonly agent: string | null },
    signal: AbortSignal,
  ): Promise<Json> {
    const { clock, observer } = this.#options;
    const startMs = clock.monotonicMs();
    let result: CheckResult = "unavailable";
    try {
      if (this.#unfinished >= checkLimits.waitingMax) {
        result = "overloaded";
        throw new CheckError("overloaded", `${String(checkLimits.waitingMax)} checks are waiting`);
      }
      const found = await this.#enqueue(name, work, signal);
      result = "done";
      return found;
    } catch (error) {
      if (signal.aborted) result = "cancelled";
      throw error;
    } finally {
      observer.onCheck({ check: name, result, durationMs: clock.monotonicMs() - startMs });
    }
  }

  #enqueue(
    name: string,
    { agent, ...work }: Pick<LaneJob, "unit" | "after" | "order"> & { readonly agent: string | null },
    signal: AbortSignal,
  ): Promise<Json> {
    const check = this.#checks.get(name);
    if (check === undefined) throw new CheckError("check_unavailable", `this node has no check ${name}`);
    if (this.#isClosed) throw new CheckError("check_unavailable", "this node is stopping");
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        job.fail(new CheckError("check_unavailable", "the caller left, or its deadline passed"));
      };
      const end = (): void => {
        signal.removeEventListener("abort", cancel);
        this.#end(job);
      };
      const lane = this.#laneOf(name, work.unit);
      const job: QueuedJob = {
        ...work,
        check,
        lane,
        agent: agent ?? "",
        isOver: false,
        done: (value) => {
          end();
          resolve(value);
        },
        fail: (error) => {
          end();
          reject(error);
        },
      };
      this.#unfinished += 1;
      this.#queue.add(job);
      if (signal.aborted) cancel();
      else {
        signal.addEventListener("abort", cancel, { once: true });
        this.#startNext();
      }
    });
  }

  /** Ends a job, once. It may be in the queue or in its thread. */
  #end(job: QueuedJob): void {
    if (job.isOver) return;
    job.isOver = true;
    this.#unfinished -= 1;
    if (this.#queue.delete(job)) return;
    job.lane.remove(job);
    const running = (this.#runningByAgent.get(job.agent) ?? 1) - 1;
    if (running === 0) this.#runningByAgent.delete(job.agent);
    else this.#runningByAgent.set(job.agent, running);
    this.#startNext();
  }

  #startNext(): void {
    for (const job of this.#queue) {
      const running = this.#runningByAgent.get(job.agent) ?? 0;
      if (running >= checkLimits.perAgentMax) continue;
      this.#runningByAgent.set(job.agent, running + 1);
      this.#queue.delete(job);
      job.lane.add(job);
    }
  }

  #laneOf(check: string, unit: string): CheckLane {
    let hash = 0;
    for (const text of [check, unit]) {
      for (let at = 0; at < text.length; at += 1) hash = (31 * hash + text.charCodeAt(at)) % 1_000_003;
    }
    return this.#lanes[hash % this.#lanes.length] as CheckLane;
  }
}
