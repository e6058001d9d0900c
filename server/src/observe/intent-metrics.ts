import { runStates } from "@holdfast/sdk/contract";
import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import { CounterFamily } from "./counter-family.ts";
import { HistogramFamily } from "./histogram-family.ts";

/** The states of a run that has not ended. */
const openStates = ["running", "interrupted", "paused"] as const;

/** Open runs by state, read when the metrics are scraped. */
type OpenRunSample = Readonly<Record<(typeof openStates)[number], number>>;

/** Bounds from a millisecond to an hour: a step may call a model or wait for a person. */
const seconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 600, 3_600];

const stepOutcomes = ["done", "failed"] as const;

interface CountedRecord {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Counts the runs of intents and their steps. No label contains a name of the user. */
export class IntentMetrics {
  readonly #open: Gauge<"state">;
  readonly #runs: CounterFamily<"state">;
  readonly #steps: HistogramFamily<"outcome">;

  constructor(registry: Registry) {
    this.#open = new Gauge({
      name: "holdfast_intent_open_runs",
      help: "Runs of intents that have not ended, by state: running, interrupted or paused.",
      labelNames: ["state"],
      registers: [registry],
    });
    this.#runs = new CounterFamily(registry, {
      name: "holdfast_intent_runs_total",
      help: "Runs of intents that entered a state. A resumed run enters running again.",
      labels: ["state"],
    });
    this.#steps = new HistogramFamily(registry, {
      name: "holdfast_intent_step_seconds",
      help: "Seconds of a try of a step, by outcome: done or failed.",
      labels: ["outcome"],
      bounds: seconds,
    });
    // Each series exists at zero from the start: rate() cannot see a step from a missing series to one.
    for (const state of openStates) this.#open.set({ state }, 0);
    for (const state of runStates) this.#runs.series({ state });
    for (const outcome of stepOutcomes) this.#steps.series({ outcome });
  }

  record({ type, data }: CountedRecord): void {
    switch (type) {
      case "intent.run_started":
      case "intent.run_resumed":
        this.#count("running");
        break;
      case "intent.run_interrupted":
        this.#count("interrupted");
        break;
      case "intent.run_ended":
        this.#count(data["state"]);
        break;
      case "intent.bridge_completed":
        this.#observe("done", data["duration_ms"]);
        break;
      case "intent.bridge_failed":
        this.#observe("failed", data["duration_ms"]);
        break;
    }
  }

  set(sample: OpenRunSample): void {
    for (const state of openStates) this.#open.set({ state }, sample[state]);
  }

  #count(state: unknown): void {
    const known = runStates.find((each) => each === state);
    if (known !== undefined) this.#runs.series({ state: known }).count += 1;
  }

  #observe(outcome: (typeof stepOutcomes)[number], durationMs: unknown): void {
    if (typeof durationMs === "number") this.#steps.series({ outcome }).observe(durationMs / 1000);
  }
}
