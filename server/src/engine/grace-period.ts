import type { Clock } from "../base/clock.ts";
import { engineLimits } from "./limits.ts";

/**
 * The grace period after a start or a stall. Holders get time to renew before overdue leases expire, so that an outage of
 * the server does not cost every client its leases. The period ends after 10 s in which the node could append
 * continuously. Every stall restarts it.
 */
export class GracePeriod {
  readonly #clock: Clock;
  #endsAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#endsAt = clock.monotonicMs() + engineLimits.graceMs;
  }

  /** Records a stall: a duration in which no holder could renew. */
  noteStall(durationMs: number): void {
    if (durationMs > engineLimits.stallMs) this.restart();
  }

  /** Records that no holder could renew since a time. */
  noteStallSince(startMs: number): void {
    this.noteStall(this.#clock.monotonicMs() - startMs);
  }

  /** Calls back in the next turn of the event loop. If the process was suspended until then, no holder could renew. */
  soon(callback: () => void): void {
    const startMs = this.#clock.monotonicMs();
    this.#clock.soon(() => {
      this.noteStallSince(startMs);
      callback();
    });
  }

  nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.soon(resolve);
    });
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
