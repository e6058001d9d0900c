import { defined } from "../../base/defined.ts";
import { pause } from "../../base/pause.ts";
import type { ClientClock } from "../client-clock.ts";
import type { AgentIdentity, CoreClient } from "../core-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { JobOperations, StartedJob } from "../packs/job-operations.ts";

/** Minimum interval between two reports of progress. The newest one is sent. */
const progressEveryMs = 1_000;

/** Time before each further try to lock paths: five tries in all. */
const lockPausesMs = [100, 200, 400, 800];

/** Maximum delay of a returned job in the contract: a year. */
const snoozeSecondsMax = 31_536_000;

/** The refusals after which another try may succeed. */
const heldCodes: readonly string[] = ["jobs.locks_unavailable", "jobs.cap_reached"];

/** Ends the job as failed without a retry. */
export class FatalJobError extends Error {
  override readonly name = "FatalJobError";
}

/** Returns the job to the queue. It counts as no attempt. */
export class JobReturn extends Error {
  override readonly name = "JobReturn";
  readonly delayMs: number;

  constructor(delayMs: number, message = `the job runs again in ${delayMs} ms`) {
    super(message);
    this.delayMs = delayMs;
  }
}

/** Maximum characters of a message of progress. */
const messageMax = 500;

function oneLine(message: string): string {
  return message.replaceAll(/[\u0000-\u001f\u007f]+/gu, " ").slice(0, messageMax);
}

/** Sends a command about a running job with its claim. */
type SendJobCommand = <Name extends "progress" | "lock" | "unlock">(
  operation: Name,
  input: object,
) => Promise<JobOperations[Name]["output"]>;

type LockedPaths = JobOperations["lock"]["input"]["paths"];

/** A job as its handler sees it. */
export class RunningJob {
  readonly id: string;
  readonly type: string;
  readonly project: string;
  readonly payload: unknown;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** The checkpoint that an earlier attempt reported. */
  readonly checkpoint: unknown;
  /** Identifies this attempt. It is never the one of another attempt. */
  readonly claim: string;
  /** Aborts when the job is cancelled, at its timeout, when its lease may have ended, or at a close. */
  readonly signal: AbortSignal;
  /** A client with the identity of the worker, for writes with the fence of the job. */
  readonly client: CoreClient;
  /** The agent of the worker, for a process that it starts. */
  readonly agent: AgentIdentity;
  #fence: string | undefined;
  readonly #send: SendJobCommand;
  readonly #clock: ClientClock;
  readonly #abort: (reason: Error) => void;
  /** Aborts when the handler has ended: the last report need not wait for its turn. */
  readonly #settling = new AbortController();
  #next: object | undefined;
  #reporting: Promise<void> | undefined;

  constructor(
    job: StartedJob,
    host: {
      readonly send: SendJobCommand;
      readonly clock: ClientClock;
      readonly controller: AbortController;
      readonly worker: { readonly client: CoreClient; readonly identity: AgentIdentity };
    },
  ) {
    const { id, type, project, payload, attempt, checkpoint, claim, fence } = job;
    [this.id, this.type, this.project, this.payload] = [id, type, project, payload];
    [this.attempt, this.checkpoint, this.claim] = [attempt, checkpoint, claim];
    this.#fence = fence;
    this.#send = host.send;
    this.#clock = host.clock;
    this.signal = host.controller.signal;
    this.client = host.worker.client;
    this.agent = host.worker.identity;
    this.#abort = (reason) => {
      host.controller.abort(reason);
    };
  }

  /** The fence of the job's locks. Another system can check it with check-fence. `lock` changes it. */
  get fence(): string | undefined {
    return this.#fence;
  }

  /** Reports progress, at most once a second. The last report is sent before the job ends. */
  progress(percent?: number, message?: string, checkpoint?: unknown): void {
    // The server refuses other values, and a refused report would be lost.
    const isNumber = percent !== undefined && !Number.isNaN(percent);
    const report = defined({
      percent: isNumber ? Math.min(100, Math.max(0, percent)) : undefined,
      message: message === undefined ? undefined : oneLine(message),
      checkpoint,
    });
    this.#next = { ...this.#next, ...report };
    this.#reporting ??= this.#report().finally(() => {
      this.#reporting = undefined;
    });
  }

  /**
   * Acquires more locks, later in the global order only. It tries five times and then throws the refusal. The new fence
   * covers all locks of the job.
   */
  async lock(paths: string | LockedPaths): Promise<string> {
    const wanted = typeof paths === "string" ? [paths] : paths;
    for (const pauseMs of [...lockPausesMs, undefined]) {
      this.signal.throwIfAborted();
      try {
        const { fence } = await this.#send("lock", { paths: wanted });
        this.#fence = fence;
        return fence;
      } catch (error) {
        const isHeld = error instanceof HoldfastError && heldCodes.includes(error.code);
        if (!isHeld || pauseMs === undefined) throw error;
        await pause(this.#clock, pauseMs, { signal: this.signal });
      }
    }
    throw new Error("unreachable");
  }

  /** Releases locks early: these paths, or all of them. Without locks the job has no fence. */
  async unlock(paths?: string | readonly string[]): Promise<void> {
    const given = typeof paths === "string" ? [paths] : paths;
    await this.#unlock(given === undefined ? {} : { paths: [...given] });
  }

  /**
   * Releases all locks, runs the work, and acquires the same locks again in five tries. Use it for calls to other systems.
   * The fence is a new one, and others may have written meanwhile: read again. If the work throws, the job has no locks.
   */
  async unlocked<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const { released } = await this.#unlock({});
    const result = await work();
    if (released.length > 0) await this.lock(released);
    return result;
  }

  async #unlock(input: object): Promise<JobOperations["unlock"]["output"]> {
    const reply = await this.#send("unlock", input);
    this.#fence = reply.fence ?? undefined;
    return reply;
  }

  /** Throw it to fail the job without a retry. */
  fatal(message: string): FatalJobError {
    return new FatalJobError(message);
  }

  /**
   * Throw it to return the job to the queue. It runs again after this time and counts as no attempt. The server counts in
   * seconds, so the time is rounded up to a whole second, up to a year.
   */
  snooze(delayMs = 0): JobReturn {
    if (Number.isNaN(delayMs)) throw new RangeError(`job ${this.id}: a snooze needs a delay in milliseconds, not NaN`);
    // The server refuses any other time, and a job whose return is refused would fail permanently.
    const seconds = Math.ceil(Math.max(0, delayMs) / 1_000);
    return new JobReturn(Math.min(seconds, snoozeSecondsMax) * 1_000);
  }

  /** Sends the last report of progress at once, and waits for it. */
  async settle(): Promise<void> {
    this.#settling.abort();
    await this.#reporting;
  }

  async #report(): Promise<void> {
    const signal = AbortSignal.any([this.signal, this.#settling.signal]);
    for (let report = this.#takeReport(); report !== undefined; report = this.#takeReport()) {
      // A report that fails costs nothing: the end of the job shows whether the claim is stale.
      const reply = await this.#send("progress", report).catch(() => undefined);
      if (typeof reply?.cancelRequested === "string")
        this.#abort(new Error(`job ${this.id}: ${reply.cancelRequested}`));
      if (this.#hasReport()) await pause(this.#clock, progressEveryMs, { signal });
    }
  }

  #hasReport(): boolean {
    return this.#next !== undefined;
  }

  #takeReport(): object | undefined {
    const report = this.#next;
    this.#next = undefined;
    return report;
  }
}

/** The work of a job. Its result is the result of the job. An error fails the attempt, and the job is retried. */
export type JobHandler = (job: RunningJob) => unknown;
