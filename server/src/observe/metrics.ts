/** All metrics of Holdfast, by name. docs/operating/metrics.md explains each metric and how to react to it. */
import { Registry } from "prom-client";
import { CounterFamily } from "./counter-family.ts";
import { HistogramFamily } from "./histogram-family.ts";
import { lockTypes } from "./lock-type.ts";

/** Bounds from 0.1 ms, the fastest durable write, to a minute. */
const seconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];
/** Bounds up to a day, because a lease lasts from a second to a day. */
const longSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];
const entries = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

export type Metrics = ReturnType<typeof createMetrics>;

/** The ways in which a hold of a lock ends. */
export const releaseCauses = ["released", "expired", "recovered", "forced"] as const;

/** The outcomes of a request for a lock. */
const acquisitionStatuses = ["granted", "queued", "denied", "deadlock"] as const;

export function createMetrics() {
  const metrics = allMetrics(new Registry());
  // Each series exists at zero from the start: rate() cannot see a step from a missing series to one.
  for (const lock_type of lockTypes) {
    for (const status of acquisitionStatuses) metrics.acquisitions.series({ lock_type, status });
    for (const family of [metrics.acquisitionDuration, metrics.contentions, metrics.waitDuration]) {
      family.series({ lock_type });
    }
  }
  for (const how of releaseCauses) metrics.holdDuration.series({ how });
  return metrics;
}

function allMetrics(registry: Registry) {
  return {
    registry,
    ...lockMetrics(registry),
    ...conflictMetrics(registry),
    ...callMetrics(registry),
    appendDuration: new HistogramFamily(registry, {
      name: "holdfast_append_duration_seconds",
      help: "Seconds until a batch was durable in the journal.",
      labels: [],
      bounds: seconds,
    }),
    processCpu: new CounterFamily(registry, {
      name: "holdfast_process_cpu_seconds_total",
      help: "Processor time of the process, in seconds.",
      labels: [],
    }),
    batchEntries: new HistogramFamily(registry, {
      name: "holdfast_batch_entries",
      help: "Entries per durable batch.",
      labels: [],
      bounds: entries,
    }),
  };
}

function lockMetrics(registry: Registry) {
  return {
    acquisitions: new CounterFamily(registry, {
      name: "holdfast_lock_acquisitions_total",
      help: "Requests for a lock, by mode and outcome: granted, queued, denied or deadlock.",
      labels: ["lock_type", "status"],
    }),
    acquisitionDuration: new HistogramFamily(registry, {
      name: "holdfast_lock_acquisition_duration_seconds",
      help: "Seconds from the request for a lock to its grant, including the time in the queue.",
      labels: ["lock_type"],
      bounds: seconds,
    }),
    contentions: new CounterFamily(registry, {
      name: "holdfast_lock_contentions_total",
      help: "Requests for a lock that conflicted with another owner: they were denied or had to wait.",
      labels: ["lock_type"],
    }),
    waitDuration: new HistogramFamily(registry, {
      name: "holdfast_lock_wait_seconds",
      help: "Seconds that granted tickets waited.",
      labels: ["lock_type"],
      bounds: longSeconds,
    }),
    holdDuration: new HistogramFamily(registry, {
      name: "holdfast_lock_hold_seconds",
      help: "Seconds that locks were held, by how the hold ended.",
      labels: ["how"],
      bounds: longSeconds,
    }),
  };
}

function conflictMetrics(registry: Registry) {
  return {
    deadlocks: new CounterFamily(registry, {
      name: "holdfast_deadlock_detections_total",
      help: "Deadlocks: requests that were refused, and tickets that were cancelled, to break a cycle of waits.",
      labels: [],
    }),
    deadlockRetries: new CounterFamily(registry, {
      name: "holdfast_deadlock_retries_total",
      help: "Calls that their callers marked as a retry after a deadlock.",
      labels: [],
    }),
    conflicts: new CounterFamily(registry, {
      name: "holdfast_version_conflicts_total",
      help: "Writes that were refused because another caller had changed the entity.",
      labels: [],
    }),
    conflictRetries: new CounterFamily(registry, {
      name: "holdfast_version_conflict_retries_total",
      help: "Calls that their callers marked as a retry after a version conflict.",
      labels: [],
    }),
  };
}

function callMetrics(registry: Registry) {
  return {
    calls: new CounterFamily(registry, {
      name: "holdfast_calls_total",
      help: "Calls, by door, operation and outcome: done or the code of the problem.",
      labels: ["door", "operation", "outcome"],
    }),
    callDuration: new HistogramFamily(registry, {
      name: "holdfast_call_duration_seconds",
      help: "Seconds from the arrival of a call at its door to the reply.",
      labels: ["door", "operation"],
      bounds: seconds,
    }),
    rejections: new CounterFamily(registry, {
      name: "holdfast_rejected_callers_total",
      help: "Callers that were rejected, by door and code.",
      labels: ["door", "code"],
    }),
  };
}
