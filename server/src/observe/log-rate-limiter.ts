import type { Clock } from "../base/clock.ts";
import type { LogSeverity } from "./log-level.ts";

/** Maximum lines of one kind per window. A caller that fails a thousand times a second must not fill the disk. */
const linesMax = 10;
const windowMs = 60_000;
/** Maximum kinds in memory. Callers can invent names, so the number of kinds needs a bound. */
const kindsMax = 1_000;

interface RateWindow {
  readonly startMs: number;
  readonly severity: LogSeverity;
  readonly event: string;
  count: number;
}

/** Suppresses repeated lines and reports afterwards how many lines it suppressed. */
export class LogRateLimiter {
  readonly #clock: Clock;
  readonly #onSuppressed: (severity: LogSeverity, event: string, suppressedCount: number) => void;
  readonly #windows = new Map<string, RateWindow>();

  constructor(clock: Clock, onSuppressed: (severity: LogSeverity, event: string, suppressedCount: number) => void) {
    this.#clock = clock;
    this.#onSuppressed = onSuppressed;
  }

  isLimited(kind: string, severity: LogSeverity, event: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    let window = this.#windows.get(kind);
    if (window !== undefined && nowMs - window.startMs >= windowMs) {
      this.#end(kind, window);
      window = undefined;
    }
    if (window === undefined) {
      if (this.#windows.size >= kindsMax) this.flush();
      window = { startMs: nowMs, severity, event, count: 0 };
      this.#windows.set(kind, window);
    }
    window.count += 1;
    return window.count > linesMax;
  }

  flush(): void {
    for (const [kind, window] of this.#windows) this.#end(kind, window);
  }

  #end(kind: string, { severity, event, count }: RateWindow): void {
    this.#windows.delete(kind);
    if (count > linesMax) this.#onSuppressed(severity, event, count - linesMax);
  }
}
