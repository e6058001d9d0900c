import type { Clock } from "../base/clock.ts";

/**
 * The engine's time: milliseconds since 1970 that never decrease. It starts at the later of the journal's last time and the
 * wall clock. Then it follows the monotonic clock, so an adjustment of the wall clock moves no lease. An entry of another
 * node with a later time lifts it.
 */
export class EngineClock {
  readonly #clock: Clock;
  #base: number;
  #last: number;
  #liftedMs = 0;

  constructor(clock: Clock, lastTime: number) {
    this.#clock = clock;
    this.#last = Math.max(lastTime, Math.floor(clock.wallMs()));
    this.#base = this.#last - clock.monotonicMs();
  }

  now(): number {
    const time = Math.floor(this.#base + this.#clock.monotonicMs());
    if (time > this.#last) this.#last = time;
    return this.#last;
  }

  lift(time: number): void {
    const now = this.now();
    if (time <= now) return;
    this.#base += time - now;
    this.#last = time;
    this.#liftedMs = Math.max(this.#liftedMs, time - now);
  }

  /** The largest leap since the last call. By the time of the leases, no holder could renew during the leap. */
  takeLift(): number {
    const lifted = this.#liftedMs;
    this.#liftedMs = 0;
    return lifted;
  }
}
