import { backoffMs } from "@holdfast/sdk/base/backoff-ms";
import type { Clock } from "../base/clock.ts";
import { engineLimits } from "./limits.ts";

/** An outage of the journal: its reason, its start, and the time of the next allowed attempt. */
export interface JournalOutage {
  readonly reason: string;
  readonly sinceMs: number;
  readonly retryAtMs: number;
  /** Number of failures since the last success. */
  readonly failures: number;
}

/**
 * Backs off while appends fail. Each failure doubles the delay before the next attempt, within limits, so a full disk is
 * not retried in a tight loop. The first success ends the outage.
 */
export class AppendBackoff {
  readonly #clock: Clock;
  readonly #retry: () => void;
  #outage: JournalOutage | undefined;
  #cancelRetry: (() => void) | undefined;

  constructor(clock: Clock, retry: () => void) {
    this.#clock = clock;
    this.#retry = retry;
  }

  get outage(): JournalOutage | undefined {
    return this.#outage;
  }

  noteFailure(reason: string): void {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#outage;
    const failures = (last?.failures ?? 0) + 1;
    const { retryFirstMs: baseMs, retryMaxMs: capMs } = engineLimits;
    const retryAtMs = nowMs + backoffMs({ baseMs, capMs }, failures);
    this.#outage = { reason, sinceMs: last?.sinceMs ?? nowMs, retryAtMs, failures };
  }

  reset(): void {
    this.#outage = undefined;
  }

  /** Ends an outage of the connection after a successful read. Others, such as a full disk, end at a successful append. */
  resetIfUnreachable(): void {
    if (this.#outage?.reason === "io" || this.#outage?.reason === "busy") this.reset();
  }

  /** Time until the next allowed attempt, or undefined if an attempt is allowed. */
  get waitMs(): number | undefined {
    if (this.#outage === undefined) return undefined;
    const waitMs = Math.ceil(this.#outage.retryAtMs - this.#clock.monotonicMs());
    return waitMs > 0 ? waitMs : undefined;
  }

  retryLater(options: { readonly keepAlive: boolean }): void {
    this.cancel();
    this.#cancelRetry = this.#clock.after(this.waitMs ?? 0, this.#retry, options);
  }

  cancel(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }
}
