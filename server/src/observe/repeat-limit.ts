import type { Clock } from "../base/clock.ts";
import type { Gravity } from "./log-level.ts";

/** Of one kind so many lines pass in a while; a caller that fails a thousand times a second must not fill the disk. */
const linesMax = 10;
const whileMs = 60_000;
/** Kinds that are remembered. A caller can make up names, so there is an end to it. */
const kindsMax = 1_000;

interface Window {
  readonly startMs: number;
  readonly gravity: Gravity;
  readonly event: string;
  count: number;
}

/** Keeps back what repeats, and says afterwards how much that was. */
export class RepeatLimit {
  readonly #clock: Clock;
  readonly #tellKept: (gravity: Gravity, event: string, kept: number) => void;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, tellKept: (gravity: Gravity, event: string, kept: number) => void) {
    this.#clock = clock;
    this.#tellKept = tellKept;
  }

  isTooMuch(kind: string, gravity: Gravity, event: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    let window = this.#windows.get(kind);
    if (window !== undefined && nowMs - window.startMs >= whileMs) {
      this.#end(kind, window);
      window = undefined;
    }
    if (window === undefined) {
      if (this.#windows.size >= kindsMax) this.flush();
      window = { startMs: nowMs, gravity, event, count: 0 };
      this.#windows.set(kind, window);
    }
    window.count += 1;
    return window.count > linesMax;
  }

  flush(): void {
    for (const [kind, window] of this.#windows) this.#end(kind, window);
  }

  #end(kind: string, { gravity, event, count }: Window): void {
    this.#windows.delete(kind);
    if (count > linesMax) this.#tellKept(gravity, event, count - linesMax);
  }
}
