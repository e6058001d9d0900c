import type { Clock } from "../../server/src/base/clock.ts";

interface Alarm {
  readonly atMs: number;
  readonly callback: () => void;
}

/** A clock that moves only when a test says so. `soon` runs as soon as the test's own code waits. */
export class ManualClock implements Clock {
  #monotonic = 0;
  #wall = Date.UTC(2026, 0, 1);
  #alarms = new Set<Alarm>();

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

  /** Somebody sets the wall clock. */
  jumpWall(deltaMs: number): void {
    this.#wall += deltaMs;
  }

  /** Lets time pass, in small steps, so that what an alarm starts can end before the next one. */
  async pass(durationMs: number, stepMs = 50): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += stepMs) await this.#move(Math.min(stepMs, durationMs - passed));
  }

  /** Time has passed, and no alarm has rung yet: what arrives now comes before what is due. */
  advance(durationMs: number): void {
    this.#monotonic += durationMs;
    this.#wall += durationMs;
  }

  /** The process stood still: all of it passes at once. */
  async stall(durationMs: number): Promise<void> {
    await this.#move(durationMs);
  }

  async #move(durationMs: number): Promise<void> {
    this.#monotonic += durationMs;
    this.#wall += durationMs;
    const due = [...this.#alarms].filter(({ atMs }) => atMs <= this.#monotonic).sort((a, b) => a.atMs - b.atMs);
    for (const alarm of due) {
      this.#alarms.delete(alarm);
      alarm.callback();
    }
    await turns(3);
  }
}

/** Waits until what is under way has had its turns on the event loop. Nothing here waits for time. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}
