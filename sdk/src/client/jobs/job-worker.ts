/** A worker: it offers slots, runs the jobs that the server starts for it, and sends heartbeats while it lives. */
import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { JobOperations, StartedJob } from "../packs/job-operations.ts";
import { FatalJobError, JobReturn, RunningJob } from "./running-job.ts";

/** The work of a job. Its result is the result of the job. An error fails the attempt, and the job is retried. */
export type JobHandler = (job: RunningJob) => unknown;

export interface WorkOptions {
  /** Maximum jobs at the same time; 1 by default. */
  readonly slots?: number;
  /** The name of the worker's agent. */
  readonly name?: string;
  /** An error that belongs to no job, such as a lost connection. The worker continues. */
  readonly onError?: (error: unknown) => void;
}

interface WorkerHost {
  readonly client: CoreClient;
  readonly clock: ClientClock;
  readonly handler: JobHandler;
}

/** Interval between heartbeats. An offer ends after 25 seconds, so two of them may be lost. */
const beatEveryMs = 8_000;

/** Time without a heartbeat after which the offer is sent again: it may have ended. */
const offerAgainMs = 20_000;

/** Maximum claims that are remembered, so that a late notice starts no job twice. */
const claimsMax = 10_000;

export class JobWorker implements AsyncDisposable {
  readonly #host: WorkerHost;
  readonly #types: readonly string[];
  readonly #options: WorkOptions;
  readonly #running = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  readonly #claims = new Set<string>();
  #agent: CoreClient;
  #notices: AsyncIterator<unknown> | undefined;
  #cancelBeat: () => void = () => undefined;
  #beatAtMs: number;
  #isEnding = false;

  private constructor(host: WorkerHost, types: readonly string[], options: WorkOptions) {
    this.#host = host;
    this.#types = types;
    this.#options = options;
    this.#agent = host.client;
    this.#beatAtMs = host.clock.monotonicMs();
  }

  /** Registers an agent, listens for its jobs and offers the slots. */
  static async start(host: WorkerHost, types: readonly string[], options: WorkOptions): Promise<JobWorker> {
    const worker = new JobWorker(host, types, options);
    await worker.#begin();
    return worker;
  }

  /** Number of jobs that run. */
  get running(): number {
    return this.#running.size;
  }

  /** Takes no further jobs, waits for those that run, and ends the worker's agent. */
  async drain(): Promise<void> {
    this.#isEnding = true;
    await this.#agent.operations.jobs.offer({ types: [...this.#types], slots: 0 }).catch(this.#report);
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ done }) => done));
    this.#cancelBeat();
    await this.#notices?.return?.();
    await this.#agent.operations.endAgent({}).catch(this.#report);
  }

  /** Aborts the jobs that run and returns them to the queue, then ends the worker. */
  async close(): Promise<void> {
    this.#isEnding = true;
    for (const { controller } of this.#running.values()) controller.abort(new JobReturn(0));
    await this.drain();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #report = (error: unknown): void => {
    this.#options.onError?.(error);
  };

  async #begin(): Promise<void> {
    const { client } = this.#host;
    const { name = "worker", slots = 1 } = this.#options;
    const { agentId, secret } = await client.agents.register({
      name,
      purpose: `runs ${this.#types.join(", ")}`.slice(0, 500),
    });
    this.#agent = client.as({ agentId, secret });
    const notices = this.#agent.notices({ owner: agentId });
    this.#notices = notices;
    void this.#listen(notices);
    const { next = [] } = await this.#agent.operations.jobs.offer({ types: [...this.#types], slots });
    for (const job of next) this.#accept(job);
    this.#beatAtMs = this.#host.clock.monotonicMs();
    this.#beatLater();
  }

  async #listen(notices: AsyncIterableIterator<object>): Promise<void> {
    try {
      for await (const notice of notices) this.#take(notice as WorkerNotice);
    } catch (error) {
      if (!this.#isEnding) this.#report(error);
    }
  }

  /** Other notices of the agent, such as those of locks, are ignored. */
  #take({ notice, job, jobId = "", claim = "", why = "" }: WorkerNotice): void {
    if (notice === "jobs.started" && job !== undefined) this.#accept(job);
    if (notice === "jobs.cancel") this.#running.get(claim)?.controller.abort(new Error(`job ${jobId}: ${why}`));
  }

  /** Runs a job once, although a reply and a notice may both announce it. */
  #accept(job: StartedJob): void {
    const { claim } = job;
    if (this.#claims.has(claim)) return;
    this.#claims.add(claim);
    const [oldest] = this.#claims;
    if (this.#claims.size > claimsMax && oldest !== undefined) this.#claims.delete(oldest);
    const controller = new AbortController();
    const done = this.#run(job, controller)
      .catch(this.#report)
      .finally(() => this.#running.delete(claim));
    this.#running.set(claim, { controller, done });
  }

  async #run(started: StartedJob, controller: AbortController): Promise<void> {
    const { id, claim } = started;
    const agent = this.#agent;
    const send = (operation: string, input: object): Promise<never> =>
      agent.operations.jobs[operation as "lock"]({ id, claim, ...input } as never) as Promise<never>;
    const job = new RunningJob(started, { send, clock: this.#host.clock, controller });
    const end = await this.#attempt(job);
    await job.settle();
    // The key makes a repeated end the same request: its reply may be lost.
    const call = { key: `${end.operation} ${claim}` };
    try {
      const { next = [] } = await agent.operations.jobs[end.operation]({ id, claim, ...end.input } as never, call);
      for (const each of next) this.#accept(each);
    } catch (error) {
      const isStale = error instanceof HoldfastError && error.code === "jobs.claim_stale";
      if (!isStale) throw error;
    }
  }

  async #attempt(job: RunningJob): Promise<JobEndCommand> {
    try {
      const result = await this.#host.handler(job);
      return { operation: "complete", input: result === undefined ? {} : { result } };
    } catch (thrown) {
      const error: unknown = job.signal.reason instanceof JobReturn ? job.signal.reason : thrown;
      if (error instanceof JobReturn) return { operation: "release", input: { delayMs: error.delayMs } };
      const message = (error instanceof Error ? error.message : String(error)).slice(0, 2_000);
      const code = error instanceof HoldfastError ? { code: error.code } : {};
      return { operation: "fail", input: { error: { message, ...code }, retry: !(error instanceof FatalJobError) } };
    }
  }

  #beatLater(): void {
    const { clock } = this.#host;
    this.#cancelBeat = clock.after(beatEveryMs, () => void this.#beat(), { keepAlive: true });
  }

  async #beat(): Promise<void> {
    const { clock } = this.#host;
    try {
      await this.#agent.operations.heartbeat({});
      const isLate = clock.monotonicMs() - this.#beatAtMs > offerAgainMs;
      this.#beatAtMs = clock.monotonicMs();
      if (isLate && !this.#isEnding) {
        const { slots = 1 } = this.#options;
        const { next = [] } = await this.#agent.operations.jobs.offer({ types: [...this.#types], slots });
        for (const job of next) this.#accept(job);
      }
    } catch (error) {
      this.#report(error);
      if (error instanceof HoldfastError && error.code === "agent_unknown" && !this.#isEnding) {
        this.#restart(error);
        return;
      }
    }
    this.#beatLater();
  }

  /** The server ended the worker's agent: its jobs are lost, and a new agent continues. */
  #restart(reason: HoldfastError): void {
    for (const { controller } of this.#running.values()) controller.abort(reason);
    void this.#notices?.return?.();
    this.#begin().catch((error: unknown) => {
      this.#report(error);
      this.#beatLater();
    });
  }
}

type JobEndCommand =
  | { readonly operation: "complete"; readonly input: { readonly result?: unknown } }
  | { readonly operation: "release"; readonly input: { readonly delayMs: number } }
  | { readonly operation: "fail"; readonly input: Omit<JobOperations["fail"]["input"], "id" | "claim"> };

interface WorkerNotice {
  readonly notice: string;
  readonly job?: StartedJob;
  readonly jobId?: string;
  readonly claim?: string;
  readonly why?: string;
}
