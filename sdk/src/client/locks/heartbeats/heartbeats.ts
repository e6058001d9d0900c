import type { ClientClock } from "../../client-clock.ts";
import { momentOf } from "../handle/held-grant.ts";
import type { Moment } from "../handle/held-grant.ts";

/** A heartbeat that was answered, or not. */
export interface Beat {
  readonly sentAt: Moment;
  readonly answeredAt: Moment;
  /** Why it renewed nothing. */
  readonly refusal?: { readonly code: string; readonly data: Readonly<Record<string, unknown>> };
}

/** Sends heartbeats for a session, for as long as it holds or waits for something. */
export interface Beats {
  /** Sends them so often from now on; undefined: not at all. */
  pace(intervalMs: number | undefined): void;
  /** Those that were answered since the last call, in order. */
  take(): readonly Beat[];
  stop(): void;
}

/** Starts heartbeats that do not depend on the loop of this thread, where there is such a thing. */
export type BeatThread = (
  agent: { readonly agent: string; readonly agentSecret?: string },
  events: { readonly onBeat: () => void; readonly onBroken: () => void },
) => Beats | undefined;

/** How a thread reaches the same server by itself. */
export interface Remote {
  /** The nodes that it may speak to. */
  readonly urls: readonly string[];
  readonly token?: string;
  /** How long the thread of the program may be blocked before it counts as stuck, and its leases are let go. */
  readonly maxBlockedMs: number;
}

export interface TimedBeatsOptions {
  readonly clock: ClientClock;
  readonly send: () => Promise<Beat["refusal"]>;
  /** There is something to take. */
  readonly onBeat: () => void;
}

/** One that failed is sent again sooner than usual, and no sooner than this. */
const againMs = { min: 100, max: 1_000 };

/** Beats by the timers of this thread: they are late when its loop is blocked. */
export class TimedBeats implements Beats {
  readonly #options: TimedBeatsOptions;
  #intervalMs: number | undefined;
  #nextAtMs = Infinity;
  #cancel: () => void = () => undefined;
  #isSending = false;
  #taken: Beat[] = [];

  constructor(options: TimedBeatsOptions) {
    this.#options = options;
  }

  pace(intervalMs: number | undefined): void {
    this.#intervalMs = intervalMs;
    if (intervalMs === undefined) {
      this.#cancel();
      this.#nextAtMs = Infinity;
    } else if (!this.#isSending) this.#sendWithin(jittered(intervalMs, this.#options.clock));
  }

  take(): readonly Beat[] {
    const taken = this.#taken;
    this.#taken = [];
    return taken;
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
    const sentAt = momentOf(clock);
    const refusal = await send().catch((error: unknown) => ({ code: "unreachable", data: { reason: String(error) } }));
    this.#isSending = false;
    const beat = { sentAt, answeredAt: momentOf(clock) };
    this.#taken.push(refusal === undefined ? beat : { ...beat, refusal });
    onBeat();
    if (this.#intervalMs === undefined) return;
    const isFailed = refusal !== undefined;
    const soonMs = Math.max(againMs.min, Math.min(againMs.max, this.#intervalMs / 3));
    this.#sendWithin(isFailed ? soonMs : jittered(this.#intervalMs, clock));
  }
}

/** Four fifths to the whole of it: those who started together do not stay together. */
export function jittered(intervalMs: number, clock: Pick<ClientClock, "random">): number {
  return intervalMs * (0.8 + 0.2 * clock.random());
}
