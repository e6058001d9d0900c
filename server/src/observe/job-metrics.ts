import { jobStates } from "@holdfast/sdk/contract";
import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import { CounterFamily } from "./counter-family.ts";
import { HistogramFamily } from "./histogram-family.ts";

/** The state of the queue, read when the metrics are scraped. */
interface JobSample {
  readonly states: Readonly<Record<(typeof jobStates)[number], number>>;
  /** The submission of the oldest ready job; undefined if none is ready. */
  readonly oldestReadyAt: number | undefined;
  readonly workers: number;
  readonly running: number;
  readonly maxRunning: number;
  readonly classes: Readonly<Record<string, { readonly running: number; readonly capacity: number }>>;
}

/** Bounds from a millisecond to an hour. */
const seconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 600, 3_600];

/** The ends of attempts, by the event that records them. */
const outcomes: Readonly<Record<string, string>> = {
  "jobs.completed": "completed",
  "jobs.attempt_failed": "retried",
  "jobs.failed": "failed",
  "jobs.lost": "lost",
  "jobs.released": "released",
  "jobs.cancelled": "cancelled",
};

interface CountedRecord {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Counts jobs and their attempts. No label contains a project or a type: users choose these names. */
export class JobMetrics {
  readonly #states: Gauge<"state">;
  readonly #oldest: Gauge;
  readonly #workers: Gauge;
  readonly #slots: Gauge<"class">;
  readonly #capacity: Gauge<"class">;
  readonly #submitted: CounterFamily;
  readonly #starts: CounterFamily;
  readonly #attempts: CounterFamily<"outcome">;
  readonly #blocked: CounterFamily;
  readonly #run: HistogramFamily;

  constructor(registry: Registry) {
    const registers = [registry];
    const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers });
    this.#states = new Gauge({ name: "holdfast_jobs", help: "Jobs by state.", labelNames: ["state"], registers });
    this.#oldest = gauge(
      "holdfast_jobs_oldest_ready_seconds",
      "Age of the oldest job that may start; 0 if there is none.",
    );
    this.#workers = gauge("holdfast_job_workers", "Workers with an offer or with running jobs.");
    this.#slots = new Gauge({
      name: "holdfast_job_slots_used",
      help: "Running jobs by class. The class all has the running jobs of all classes.",
      labelNames: ["class"],
      registers,
    });
    this.#capacity = new Gauge({
      name: "holdfast_job_slots_max",
      help: "Maximum running jobs by class. The class all has max_global_jobs.",
      labelNames: ["class"],
      registers,
    });
    const counter = (name: string, help: string): CounterFamily =>
      new CounterFamily(registry, { name, help, labels: [] });
    this.#submitted = counter("holdfast_jobs_submitted_total", "Jobs that were submitted.");
    this.#starts = counter("holdfast_job_starts_total", "Attempts that started.");
    this.#blocked = counter("holdfast_job_lock_waits_total", "Jobs that had to wait for their locks.");
    this.#attempts = new CounterFamily(registry, {
      name: "holdfast_job_attempts_total",
      help: "Attempts and jobs that ended, by outcome.",
      labels: ["outcome"],
    });
    this.#run = new HistogramFamily(registry, {
      name: "holdfast_job_run_seconds",
      help: "Seconds from the start of the last attempt to the completion of its job.",
      labels: [],
      bounds: seconds,
    });
    // Each series exists at zero from the start: rate() cannot see a step from a missing series to one.
    for (const state of jobStates) this.#states.set({ state }, 0);
    for (const outcome of Object.values(outcomes)) this.#attempts.series({ outcome });
    for (const family of [this.#submitted, this.#starts, this.#blocked]) family.series({});
    this.#run.series({});
  }

  record({ type, data }: CountedRecord): void {
    if (type === "jobs.submitted") this.#submitted.series({}).count += 1;
    else if (type === "jobs.started") this.#starts.series({}).count += 1;
    else if (type === "jobs.blocked") this.#blocked.series({}).count += 1;
    const outcome = outcomes[type];
    if (outcome !== undefined) this.#attempts.series({ outcome }).count += 1;
    const { duration_ms: durationMs } = data;
    if (type === "jobs.completed" && typeof durationMs === "number") this.#run.series({}).observe(durationMs / 1000);
  }

  set({ states, oldestReadyAt, workers, running, maxRunning, classes }: JobSample, nowMs: number): void {
    for (const state of jobStates) this.#states.set({ state }, states[state]);
    this.#oldest.set(oldestReadyAt === undefined ? 0 : (nowMs - oldestReadyAt) / 1000);
    this.#workers.set(workers);
    for (const [name, used] of [...Object.entries(classes), ["all", { running, capacity: maxRunning }] as const]) {
      this.#slots.set({ class: name }, used.running);
      this.#capacity.set({ class: name }, used.capacity);
    }
  }
}
