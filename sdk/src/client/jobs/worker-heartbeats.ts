/**
 * The heartbeats of a worker. In Node a thread sends them to a server elsewhere, so a job that blocks the event loop keeps
 * its claim. Otherwise a timer sends them.
 */
import type { ClientClock } from "../client-clock.ts";
import type { AgentIdentity, CoreClient } from "../core-client.ts";
import type { HeartbeatResult, Heartbeats, HeartbeatThread } from "../locks/heartbeats/heartbeats.ts";

/** Interval between heartbeats. An offer ends after 25 seconds, so two of them may be lost. */
const beatEveryMs = 8_000;

interface WorkerAgent {
  /** The client with the identity of the worker. */
  readonly agent: CoreClient;
  readonly identity: AgentIdentity;
  readonly clock: ClientClock;
  readonly startThread: HeartbeatThread | undefined;
  readonly onResult: (beat: WorkerBeat) => void;
}

/** The result of a heartbeat, by the monotonic clock of the program. */
export interface WorkerBeat {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly refusal?: HeartbeatResult["refusal"];
}

export class WorkerHeartbeats {
  readonly #worker: WorkerAgent;
  #thread: Heartbeats | undefined;
  #cancelWakeup: () => void = () => undefined;
  #isStopped = false;

  constructor(worker: WorkerAgent) {
    this.#worker = worker;
    const { agentId, secret } = worker.identity;
    const onBroken = (): void => {
      this.#thread = undefined;
    };
    const events = { onBeat: () => this.apply(), onBroken };
    this.#thread = worker.startThread?.({ agent: agentId, agentSecret: secret }, events);
    this.#thread?.pace(beatEveryMs);
    this.#wakeLater();
  }

  /** Applies the results of the thread, also those that arrived while the event loop was blocked. */
  apply(): void {
    for (const { sentAt, answeredAt, refusal } of this.#thread?.take() ?? [])
      this.#worker.onResult({ sentAtMs: sentAt.monotonicMs, answeredAtMs: answeredAt.monotonicMs, refusal });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelWakeup();
    this.#thread?.stop();
  }

  /** Neither the thread nor its messages keep a program running. A program with a worker must not end. */
  #wakeLater(): void {
    if (this.#isStopped) return;
    this.#cancelWakeup = this.#worker.clock.after(beatEveryMs, () => void this.#wake(), { keepAlive: true });
  }

  async #wake(): Promise<void> {
    if (this.#thread === undefined) await this.#beat();
    this.#wakeLater();
  }

  async #beat(): Promise<void> {
    const { agent, clock, onResult } = this.#worker;
    const sentAtMs = clock.monotonicMs();
    const refusal = await agent.execute("heartbeat", {}).then(
      ({ outcome }) => (outcome.kind === "done" ? undefined : outcome),
      (error: unknown) => ({ code: "unreachable", data: { reason: String(error) } }),
    );
    if (!this.#isStopped) onResult({ sentAtMs, answeredAtMs: clock.monotonicMs(), refusal });
  }
}
