import type { Clock } from "../base/clock.ts";

/**
 * The engine's time: milliseconds since 1970 that never go back. It starts with the later of the journal's last time
 * and the wall clock and then follows the monotonic clock, so that a wall clock which is set forward or back moves no
 * lease. An entry from elsewhere with a later time lifts it.
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

  /** The largest leap since the last call: for so long nobody could renew, as leases see it. */
  takeLift(): number {
    const lifted = this.#liftedMs;
    this.#liftedMs = 0;
    return lifted;
  }
}
