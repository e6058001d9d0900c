import { backoffMs } from "@holdfast/sdk/base/backoff-ms";
import type { Clock } from "../base/clock.ts";
import { engineLimits } from "./limits.ts";

/** The journal can't be written now: since when, why, and when the next attempt is allowed. */
export interface JournalOutage {
  readonly reason: string;
  readonly sinceMs: number;
  readonly retryAtMs: number;
  /** Failures since the journal last worked. */
  readonly failures: number;
}

/**
 * Keeps account of a journal that fails. Each failure doubles the time to the next attempt, within bounds, so that a
 * full disk is not hammered; the first success ends it.
 */
export class AppendBackoff {
  readonly #clock: Clock;
  readonly #retry: () => void;
  #trouble: JournalOutage | undefined;
  #cancelRetry: (() => void) | undefined;

  constructor(clock: Clock, retry: () => void) {
    this.#clock = clock;
    this.#retry = retry;
  }

  get outage(): JournalOutage | undefined {
    return this.#trouble;
  }

  noteFailure(reason: string): void {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#trouble;
    const failures = (last?.failures ?? 0) + 1;
    const { retryFirstMs: baseMs, retryMaxMs: capMs } = engineLimits;
    const retryAtMs = nowMs + backoffMs({ baseMs, capMs }, failures);
    this.#trouble = { reason, sinceMs: last?.sinceMs ?? nowMs, retryAtMs, failures };
  }

  reset(): void {
    this.#trouble = undefined;
  }

  /** The journal answers again. Any other trouble, such as a full disk, is over only when something was written. */
  resetIfUnreachable(): void {
    if (this.#trouble?.reason === "io" || this.#trouble?.reason === "busy") this.reset();
  }

  /** How long until the next attempt is allowed; undefined if it is allowed now. */
  get waitMs(): number | undefined {
    if (this.#trouble === undefined) return undefined;
    const waitMs = Math.ceil(this.#trouble.retryAtMs - this.#clock.monotonicMs());
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
