/** A worker: it offers slots, runs the jobs that the server starts for it, and sends heartbeats while it lives. */
import { pause } from "../../base/pause.ts";
import type { ClientClock } from "../client-clock.ts";
import type { AgentIdentity, CoreClient } from "../core-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { HeartbeatThread } from "../locks/heartbeats/heartbeats.ts";
import type { OwnerNotice } from "../operation-output.ts";
import type { StartedJob } from "../packs/job-operations.ts";
import { attemptEnd, endAfterError } from "./attempt-end.ts";
import type { AttemptEnd } from "./attempt-end.ts";
import { AttemptEnds } from "./attempt-ends.ts";
import { isTemporary } from "./is-temporary.ts";
import { readOmitted } from "./read-omitted.ts";
import { JobReturn, RunningJob } from "./running-job.ts";
import type { JobHandler } from "./running-job.ts";
import { WorkerHeartbeats } from "./worker-heartbeats.ts";
import type { WorkerBeat } from "./worker-heartbeats.ts";

export interface WorkOptions {
  /** Maximum jobs at the same time; 1 by default. */
  readonly slots?: number;
  /** The name of the worker's agent. */
  readonly name?: string;
  /**
   * An error that belongs to no job, such as a lost connection. The worker continues. A temporary error is reported once
   * until the next heartbeat succeeds.
   */
  readonly onError?: (error: unknown) => void;
  /** A heartbeat succeeded after one that failed. */
  readonly onReconnect?: () => void;
}

interface WorkerHost {
  readonly client: CoreClient;
  readonly clock: ClientClock;
  readonly handler: JobHandler;
  readonly thread: HeartbeatThread | undefined;
  readonly notices: (query: { readonly owner: string }) => NoticePages;
}

/** Notices in the pages in which they arrive. The jobs of a page start together. */
export type NoticePages = AsyncIterableIterator<readonly OwnerNotice[]>;

/** Time without a heartbeat after which the offer is sent again: it may have ended. */
const offerAgainMs = 20_000;

/** Time before the end of a lease at which its job is aborted, so that its handler can stop in time. */
const leaseMarginMs = 10_000;

/** Interval between two tries to register a new agent, or to listen again. */
const restartMs = 8_000;

/** Maximum claims that are remembered, so that a late notice starts no job twice. */
const claimsMax = 10_000;

export class JobWorker implements AsyncDisposable {
  readonly #host: WorkerHost;
  #types: readonly string[];
  readonly #options: WorkOptions;
  readonly #running = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  readonly #claims = new Set<string>();
  #agent: CoreClient;
  #ends: AttemptEnds;
  #identity: AgentIdentity = { agentId: "" };
  #notices: NoticePages | undefined;
  #beats: WorkerHeartbeats | undefined;
  #beatAtMs: number;
  #isEnding = false;
  /** A worker tries again every second. Without these codes, an outage would fill its log with one line. */
  readonly #reportedCodes = new Set<string>();
  /** The last heartbeat failed. */
  #isLost = false;

  private constructor(host: WorkerHost, types: readonly string[], options: WorkOptions) {
    this.#host = host;
    this.#types = types;
    this.#options = options;
    this.#agent = host.client;
    this.#ends = this.#endsOf(host.client);
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

  /** Offers other types from now on. Running jobs continue. */
  async setTypes(types: readonly string[]): Promise<void> {
    this.#types = types;
    if (!this.#isEnding) await this.#offer();
  }

  /** Takes no further jobs, waits for those that run, and ends the worker's agent. */
  async drain(): Promise<void> {
    this.#isEnding = true;
    await this.#offer(0).catch(this.#report);
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ done }) => done));
    this.#beats?.stop();
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
    if (isTemporary(error)) {
      if (this.#reportedCodes.has(error.code)) return;
      this.#reportedCodes.add(error.code);
    }
    this.#options.onError?.(error);
  };

  async #begin(): Promise<void> {
    const { client } = this.#host;
    const { name = "worker" } = this.#options;
    const { agentId, secret } = await client.agents.register({
      name,
      purpose: `runs ${this.#types.join(", ")}`.slice(0, 500),
    });
    this.#identity = { agentId, secret };
    this.#agent = client.as(this.#identity);
    this.#ends = this.#endsOf(this.#agent);
    const notices = this.#listen();
    this.#beatAtMs = this.#host.clock.monotonicMs();
    try {
      await this.#offer();
    } catch (error) {
      // A worker without rights leaves no agent behind.
      this.#notices = undefined;
      void notices.return?.();
      await this.#agent.operations.endAgent({}).catch(this.#report);
      throw error;
    }
    if (this.#isEnding) return;
    const onResult = (beat: WorkerBeat): void => this.#beaten(beat);
    const { clock, thread: startThread } = this.#host;
    const worker = { agent: this.#agent, identity: this.#identity };
    this.#beats = new WorkerHeartbeats({ ...worker, clock, startThread, onResult });
  }

  #endsOf(agent: CoreClient): AttemptEnds {
    return new AttemptEnds({ agent, clock: this.#host.clock, report: this.#report });
  }

  /** A new listener first gets all jobs that run for the worker. */
  #listen(): NoticePages {
    const notices = this.#host.notices({ owner: this.#identity.agentId });
    this.#notices = notices;
    void this.#hear(notices);
    return notices;
  }

  async #hear(notices: NoticePages): Promise<void> {
    try {
      for await (const page of notices) for (const notice of page) this.#take(notice);
      if (this.#hears(notices)) this.#abandon();
    } catch (error) {
      if (!this.#hears(notices)) return;
      this.#report(error);
      // Without notices the worker would offer slots and run nothing.
      await pause(this.#host.clock, restartMs);
      if (this.#hears(notices)) this.#listen();
    }
  }

  #hears(notices: NoticePages): boolean {
    return this.#notices === notices && !this.#isEnding;
  }

  /** The program closed the client. The heartbeat thread has a connection of its own and would keep the offer alive. */
  #abandon(): void {
    this.#isEnding = true;
    this.#beats?.stop();
    for (const { controller } of this.#running.values()) controller.abort(new Error("the client was closed"));
  }

  /** Other notices of the agent, such as those of locks, are ignored. */
  #take({ notice, job, jobId = "", claim = "", why = "" }: WorkerNotice): void {
    if (notice === "jobs.started" && job !== undefined) this.#accept(job);
    if (notice === "jobs.cancel") this.#running.get(claim)?.controller.abort(new Error(`job ${jobId}: ${why}`));
  }

  /** Runs a job once, although the reply to an offer and notices of several connections may announce it. */
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
    const { clock } = this.#host;
    const [agent, ends] = [this.#agent, this.#ends];
    const send = (operation: string, input: object): Promise<never> =>
      agent.operations.jobs[operation as "lock"]({ id, claim, ...input } as never) as Promise<never>;
    const worker = { client: agent, identity: this.#identity };
    const stopGuard = this.#guardLease(started, controller);
    const run = async (whole: StartedJob): Promise<AttemptEnd> => {
      const job = new RunningJob(whole, { send, clock, controller, worker });
      const end = await attemptEnd(job, this.#host.handler);
      await job.settle();
      return end;
    };
    const { signal } = controller;
    const end =
      started.omitted === true
        ? await readOmitted(started, { agent, clock, report: this.#report, signal }).then(run, (error: unknown) =>
            endAfterError(error, signal),
          )
        : await run(started);
    stopGuard();
    await ends.send(started, end);
  }

  /** Aborts a job before its lease ends without a heartbeat: the server may then give it to another worker. */
  #guardLease({ id, leaseMs }: StartedJob, controller: AbortController): () => void {
    const { clock } = this.#host;
    const startedMs = clock.monotonicMs();
    let cancel: () => void = () => undefined;
    const guard = (): void => {
      // After a blocked event loop, this timer may run before the messages of the heartbeat thread are delivered.
      this.#beats?.apply();
      const leftMs = Math.max(startedMs, this.#beatAtMs) + leaseMs - leaseMarginMs - clock.monotonicMs();
      if (leftMs > 0) cancel = clock.after(leftMs, guard, { keepAlive: false });
      else controller.abort(new JobReturn(0, `job ${id}: its lease ends, because no heartbeat reached the server`));
    };
    guard();
    return () => {
      cancel();
    };
  }

  /** The lease is counted from the time at which a heartbeat was sent. */
  #beaten({ sentAtMs, answeredAtMs, refusal }: WorkerBeat): void {
    if (refusal === undefined) {
      const isLate = answeredAtMs - this.#beatAtMs > offerAgainMs;
      this.#beatAtMs = sentAtMs;
      this.#reportedCodes.clear();
      if (this.#isLost) this.#options.onReconnect?.();
      this.#isLost = false;
      if (isLate && !this.#isEnding) void this.#offer().catch(this.#report);
      return;
    }
    const { code, data } = refusal;
    const error = new HoldfastError("heartbeat", code, { data });
    this.#isLost = isTemporary(error);
    this.#report(error);
    if (code === "agent_unknown" && !this.#isEnding) this.#restart(error);
  }

  /** The reply has every job that runs for the worker. The notice of one may arrive later. */
  async #offer(slots = this.#options.slots ?? 1): Promise<void> {
    const { next = [] } = await this.#agent.operations.jobs.offer({ types: [...this.#types], slots });
    for (const job of next) this.#accept(job);
  }

  /** The server ended the worker's agent: its jobs are lost, and a new agent continues. */
  #restart(reason: HoldfastError): void {
    for (const { controller } of this.#running.values()) controller.abort(reason);
    this.#beats?.stop();
    const notices = this.#notices;
    this.#notices = undefined;
    void notices?.return?.();
    this.#begin().catch((error: unknown) => {
      this.#report(error);
      const { clock } = this.#host;
      clock.after(restartMs, () => this.#isEnding || this.#restart(reason), { keepAlive: true });
    });
  }
}

interface WorkerNotice {
  readonly notice: string;
  readonly job?: StartedJob;
  readonly jobId?: string;
  readonly claim?: string;
  readonly why?: string;
}
