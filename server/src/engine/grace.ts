import { engineLimits } from "./limits.ts";

/**
 * After a start or a stall, holders get time to renew before anything overdue is expired: an outage of the server must
 * not cost every client its leases. The grace is over after a while of continuous ability to append; every stall
 * starts it again.
 */
export class Grace {
  #endsAt: number;

  constructor(nowMs: number) {
    this.#endsAt = nowMs + engineLimits.graceMs;
  }

  /** Something took this long during which nobody could renew. */
  noteStall(nowMs: number, durationMs: number): void {
    if (durationMs > engineLimits.stallMs) this.startAgain(nowMs);
  }

  startAgain(nowMs: number): void {
    this.#endsAt = nowMs + engineLimits.graceMs;
  }

  isOver(nowMs: number): boolean {
    return nowMs >= this.#endsAt;
  }

  get endsAt(): number {
    return this.#endsAt;
  }
}
