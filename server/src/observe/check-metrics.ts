import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import { CounterFamily } from "./counter-family.ts";
import { HistogramFamily } from "./histogram-family.ts";

/** The state of the checks, read when the metrics are scraped. */
export interface CheckSample {
  readonly waiting: number;
  readonly restarts: number;
}

/** Bounds from a millisecond to a minute. */
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];
const rounds = [1, 2, 3, 4, 5, 6, 7, 8];

/** Counts the runs of checks outside the machine. */
export class CheckMetrics {
  readonly #runs: CounterFamily<"check" | "result">;
  readonly #duration: HistogramFamily<"check">;
  readonly #rounds: HistogramFamily<"check">;
  readonly #waiting: Gauge;
  readonly #restarts: CounterFamily;

  constructor(registry: Registry) {
    this.#runs = new CounterFamily(registry, {
      name: "holdfast_checks_total",
      help: "Runs of checks, by result: done, cancelled, unavailable or overloaded.",
      labels: ["check", "result"],
    });
    this.#duration = new HistogramFamily(registry, {
      name: "holdfast_check_duration_seconds",
      help: "Seconds from the request of a check to its result, including the time in the queue.",
      labels: ["check"],
      bounds: seconds,
    });
    this.#rounds = new HistogramFamily(registry, {
      name: "holdfast_check_rounds",
      help: "Rounds of checking for a decided command. Each round after the first repeats a stale check.",
      labels: ["check"],
      bounds: rounds,
    });
    this.#waiting = new Gauge({
      name: "holdfast_checks_waiting",
      help: "Checks that are not finished.",
      registers: [registry],
    });
    this.#restarts = new CounterFamily(registry, {
      name: "holdfast_check_thread_restarts_total",
      help: "Threads of checks that ended by themselves.",
      labels: [],
    });
  }

  /** Each series exists at zero from the start: rate() cannot see a step from a missing series to one. */
  begin(checks: readonly string[]): void {
    for (const check of checks) {
      for (const result of ["done", "cancelled", "unavailable", "overloaded"]) this.#runs.series({ check, result });
      for (const family of [this.#duration, this.#rounds]) family.series({ check });
    }
  }

  readonly onCheck = (run: { readonly check: string; readonly result: string; readonly durationMs: number }): void => {
    const { check, result, durationMs } = run;
    this.#runs.series({ check, result }).count += 1;
    this.#duration.series({ check }).observe(durationMs / 1000);
  };

  readonly onRounds = (check: string, count: number): void => {
    this.#rounds.series({ check }).observe(count);
  };

  set({ waiting, restarts }: CheckSample): void {
    this.#waiting.set(waiting);
    this.#restarts.series({}).count = restarts;
  }
}
