import type { Clock } from "../../server/src/base/clock.ts";

interface Alarm {
  readonly atMs: number;
  readonly callback: () => void;
}

/** A clock that a test moves. `soon` runs its callback in the next tick of the event loop. */
export class ManualClock implements Clock {
  #monotonic = 0;
  #wall = Date.UTC(2026, 0, 1);
  #alarms = new Set<Alarm>();
  /** Number of alarms that have gone off. */
  alarmCount = 0;

  wallMs(): number {
    return this.#wall;
  }

  monotonicMs(): number {
    return this.#monotonic;
  }

  after(delayMs: number, callback: () => void): () => void {
    const alarm = { atMs: this.#monotonic + delayMs, callback };
    this.#alarms.add(alarm);
    return () => {
      this.#alarms.delete(alarm);
    };
  }

  soon(callback: () => void): void {
    setImmediate(callback);
  }

  /** Adjusts the wall clock, as an operator would. */
  jumpWall(deltaMs: number): void {
    this.#wall += deltaMs;
  }

  /** Moves time in small steps, so that the work of an alarm can end before the next alarm. */
  async pass(durationMs: number, stepMs = 50): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += stepMs) await this.#move(Math.min(stepMs, durationMs - passed));
  }

  /** Moves time without running alarms. A command that arrives next is processed before due alarms. */
  advance(durationMs: number): void {
    this.#monotonic += durationMs;
    this.#wall += durationMs;
  }

  /** Simulates a suspended process: the whole duration passes in one step. */
  async stall(durationMs: number): Promise<void> {
    await this.#move(durationMs);
  }

  async #move(durationMs: number): Promise<void> {
    this.#monotonic += durationMs;
    this.#wall += durationMs;
    const due = [...this.#alarms].filter(({ atMs }) => atMs <= this.#monotonic).sort((a, b) => a.atMs - b.atMs);
    for (const alarm of due) {
      this.#alarms.delete(alarm);
      this.alarmCount += 1;
      alarm.callback();
    }
    await loopTicks(3);
  }
}

/** Waits for a number of ticks of the event loop, so that running work can continue. It does not wait for time. */
export async function loopTicks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}
