import type { ClientClock } from "../../client-clock.ts";
import { clockPoint } from "../handle/held-grant.ts";
import type { ClockPoint } from "../handle/held-grant.ts";

/** The result of a heartbeat. */
export interface HeartbeatResult {
  readonly sentAt: ClockPoint;
  readonly answeredAt: ClockPoint;
  /** The reason why it renewed nothing. */
  readonly refusal?: { readonly code: string; readonly data: Readonly<Record<string, unknown>> };
}

/** Sends the heartbeats of a session while it has locks or tickets. */
export interface Heartbeats {
  /** Sets the interval; undefined stops them. */
  pace(intervalMs: number | undefined): void;
  /** The results since the last call, in order. */
  take(): readonly HeartbeatResult[];
  stop(): void;
}

/** Starts heartbeats that do not depend on the event loop of this thread, where threads exist. */
export type HeartbeatThread = (
  agent: { readonly agent: string; readonly agentSecret?: string | undefined },
  events: { readonly onBeat: () => void; readonly onBroken: () => void },
) => Heartbeats | undefined;

/** The data with which a thread reaches the same server. */
export interface RemoteServer {
  /** The nodes that it may use. */
  readonly urls: readonly string[];
  readonly token?: string | undefined;
  /** Maximum time that the program's thread may be blocked before it counts as stuck and its leases are given up. */
  readonly maxBlockedMs: number;
}

interface TimedHeartbeatsOptions {
  readonly clock: ClientClock;
  readonly send: () => Promise<HeartbeatResult["refusal"]>;
  /** Results are available. */
  readonly onBeat: () => void;
}

/** Bounds of the delay before a failed heartbeat is retried. The retry is sooner than the interval. */
const retryDelayMs = { min: 100, max: 1_000 };

/** Heartbeats by the timers of this thread. They are late when its loop is blocked. */
export class TimedHeartbeats implements Heartbeats {
  readonly #options: TimedHeartbeatsOptions;
  #intervalMs: number | undefined;
  #nextAtMs = Infinity;
  #cancel: () => void = () => undefined;
  #isSending = false;
  #results: HeartbeatResult[] = [];

  constructor(options: TimedHeartbeatsOptions) {
    this.#options = options;
  }

  pace(intervalMs: number | undefined): void {
    this.#intervalMs = intervalMs;
    if (intervalMs === undefined) {
      this.#cancel();
      this.#nextAtMs = Infinity;
    } else if (!this.#isSending) this.#sendWithin(jittered(intervalMs, this.#options.clock));
  }

  take(): readonly HeartbeatResult[] {
    const results = this.#results;
    this.#results = [];
    return results;
  }

  stop(): void {
    this.pace(undefined);
  }

  #sendWithin(delayMs: number): void {
    const { clock } = this.#options;
    const atMs = clock.monotonicMs() + delayMs;
    if (atMs >= this.#nextAtMs) return;
    this.#cancel();
    this.#nextAtMs = atMs;
    this.#cancel = clock.after(delayMs, () => void this.#send(), { keepAlive: false });
  }

  async #send(): Promise<void> {
    const { clock, send, onBeat } = this.#options;
    this.#isSending = true;
    this.#nextAtMs = Infinity;
    const sentAt = clockPoint(clock);
    const refusal = await send().catch((error: unknown) => ({ code: "unreachable", data: { reason: String(error) } }));
    this.#isSending = false;
    const beat = { sentAt, answeredAt: clockPoint(clock) };
    this.#results.push(refusal === undefined ? beat : { ...beat, refusal });
    onBeat();
    if (this.#intervalMs === undefined) return;
    const isFailed = refusal !== undefined;
    const retryMs = Math.max(retryDelayMs.min, Math.min(retryDelayMs.max, this.#intervalMs / 3));
    this.#sendWithin(isFailed ? retryMs : jittered(this.#intervalMs, clock));
  }
}

/** Jitters an interval to 80 to 100 percent, so that clients that started together spread. */
function jittered(intervalMs: number, clock: Pick<ClientClock, "random">): number {
  return intervalMs * (0.8 + 0.2 * clock.random());
}
