import type { Clock } from "../base/clock.ts";
import { engineLimits } from "./limits.ts";

/**
 * After a start or a stall, holders get time to renew before anything overdue is expired: an outage of the server must
 * not cost every client its leases. The grace is over after a while of continuous ability to append; every stall
 * starts it again.
 */
export class GracePeriod {
  readonly #clock: Clock;
  #endsAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#endsAt = clock.monotonicMs() + engineLimits.graceMs;
  }

  /** Something took this long during which nobody could renew. */
  noteStall(durationMs: number): void {
    if (durationMs > engineLimits.stallMs) this.restart();
  }

  /** Nobody could renew since then. */
  noteStallSince(startMs: number): void {
    this.noteStall(this.#clock.monotonicMs() - startMs);
  }

  restart(): void {
    this.#endsAt = this.#clock.monotonicMs() + engineLimits.graceMs;
  }

  isOver(): boolean {
    return this.#clock.monotonicMs() >= this.#endsAt;
  }

  get endsAt(): number {
    return this.#endsAt;
  }
}
