import { jobStates } from "@holdfast/sdk/contract";
import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import { CounterFamily } from "./counter-family.ts";
import { HistogramFamily } from "./histogram-family.ts";

type StateCounts = Readonly<Record<(typeof jobStates)[number], number>>;

/** The state of the queue, read when the metrics are scraped. */
interface JobSample {
  readonly states: StateCounts;
  readonly types: Readonly<Record<string, StateCounts>>;
  /** The time since which the oldest ready job waits; undefined if none is ready. */
  readonly oldestAt: number | undefined;
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

/** Counts jobs and their attempts. No label contains a project: users choose these names. Types with a label are bounded. */
export class JobMetrics {
  readonly #states: Gauge<"state">;
  readonly #types: Gauge<"type" | "state">;
  readonly #oldest: Gauge;
  readonly #workers: Gauge;
  readonly #slots: Gauge<"class">;
  readonly #capacity: Gauge<"class">;
  readonly #submitted: CounterFamily;
  readonly #starts: CounterFamily;
  readonly #attempts: CounterFamily<"outcome">;
  readonly #blocked: CounterFamily;
  readonly #wait: HistogramFamily;
  readonly #run: HistogramFamily;

  constructor(registry: Registry) {
    const registers = [registry];
    const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers });
    this.#states = new Gauge({ name: "holdfast_jobs", help: "Jobs by state.", labelNames: ["state"], registers });
    this.#types = new Gauge({
      name: "holdfast_jobs_of_type",
      help: "Jobs by type and state, of the first 100 types by name.",
      labelNames: ["type", "state"],
      registers,
    });
    this.#oldest = gauge(
      "holdfast_jobs_oldest_ready_seconds",
      "Time that the oldest ready job has waited for its start; 0 if there is none.",
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
    const histogram = (name: string, help: string): HistogramFamily =>
      new HistogramFamily(registry, { name, help, labels: [], bounds: seconds });
    this.#wait = histogram(
      "holdfast_job_wait_seconds",
      "Seconds from the time at which a job became ready to its start.",
    );
    this.#run = histogram(
      "holdfast_job_run_seconds",
      "Seconds from the start of the last attempt to the completion of its job.",
    );
    // Each series exists at zero from the start: rate() cannot see a step from a missing series to one.
    for (const state of jobStates) this.#states.set({ state }, 0);
    for (const outcome of Object.values(outcomes)) this.#attempts.series({ outcome });
    for (const family of [this.#submitted, this.#starts, this.#blocked]) family.series({});
    for (const family of [this.#wait, this.#run]) family.series({});
  }

  record({ type, data }: CountedRecord): void {
    if (type === "jobs.submitted") this.#submitted.series({}).count += 1;
    else if (type === "jobs.started") this.#starts.series({}).count += 1;
    else if (type === "jobs.blocked") this.#blocked.series({}).count += 1;
    const outcome = outcomes[type];
    if (outcome !== undefined) this.#attempts.series({ outcome }).count += 1;
    const { duration_ms: durationMs, waited_ms: waitedMs } = data;
    if (type === "jobs.completed" && typeof durationMs === "number") this.#run.series({}).observe(durationMs / 1000);
    if (type === "jobs.started" && typeof waitedMs === "number") this.#wait.series({}).observe(waitedMs / 1000);
  }

  set({ states, types, oldestAt, workers, running, maxRunning, classes }: JobSample, nowMs: number): void {
    for (const state of jobStates) this.#states.set({ state }, states[state]);
    // A type without jobs has no series.
    this.#types.reset();
    for (const [type, counts] of Object.entries(types))
      for (const state of jobStates) this.#types.set({ type, state }, counts[state]);
    this.#oldest.set(oldestAt === undefined ? 0 : (nowMs - oldestAt) / 1000);
    this.#workers.set(workers);
    for (const [name, used] of [...Object.entries(classes), ["all", { running, capacity: maxRunning }] as const]) {
      this.#slots.set({ class: name }, used.running);
      this.#capacity.set({ class: name }, used.capacity);
    }
  }
}
