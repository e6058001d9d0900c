/** Every figure that Holdfast shows, by name. What each means, and what to do about it: docs/operating/metrics.md. */
import { Registry } from "prom-client";
import { CounterCells, HistogramCells } from "./cells.ts";

/** From a tenth of a millisecond, as long as a durable write takes at best, to a minute. */
const seconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];
/** Leases last from a second to a day. */
const longSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];
const entries = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

export type Metrics = ReturnType<typeof createMetrics>;

/** The modes of locks, weakest first. A set of paths counts once, as its strongest mode. */
export const lockTypes = ["read", "upgradeable", "write"] as const;
export type LockType = (typeof lockTypes)[number];

/** How a lock may be left. */
export const waysToLeave = ["released", "expired", "recovered", "forced"] as const;

/** What a request for a lock may come to. */
const statuses = ["granted", "queued", "denied", "deadlock"] as const;

export function createMetrics() {
  const metrics = allMetrics(new Registry());
  // Each series is there at zero from the start: a rate can't see the step from nothing to one.
  for (const lock_type of lockTypes) {
    for (const status of statuses) metrics.acquisitions.cell({ lock_type, status });
    for (const family of [metrics.acquisitionDuration, metrics.contentions, metrics.waitDuration]) {
      family.cell({ lock_type });
    }
  }
  for (const how of waysToLeave) metrics.holdDuration.cell({ how });
  return metrics;
}

function allMetrics(registry: Registry) {
  return {
    registry,
    ...lockMetrics(registry),
    ...conflictMetrics(registry),
    ...callMetrics(registry),
    appendDuration: new HistogramCells(registry, {
      name: "holdfast_append_duration_seconds",
      help: "How long it took until a batch was durable in the journal.",
      labels: [],
      bounds: seconds,
    }),
    processCpu: new CounterCells(registry, {
      name: "holdfast_process_cpu_seconds_total",
      help: "Processor time of the process.",
      labels: [],
    }),
    batchEntries: new HistogramCells(registry, {
      name: "holdfast_batch_entries",
      help: "How many entries were made durable together.",
      labels: [],
      bounds: entries,
    }),
  };
}

function lockMetrics(registry: Registry) {
  return {
    acquisitions: new CounterCells(registry, {
      name: "holdfast_lock_acquisitions_total",
      help: "Requests for a lock, by mode and by what they came to: granted, queued, denied or deadlock.",
      labels: ["lock_type", "status"],
    }),
    acquisitionDuration: new HistogramCells(registry, {
      name: "holdfast_lock_acquisition_duration_seconds",
      help: "How long it took from the request for a lock to its grant, the time in a queue included.",
      labels: ["lock_type"],
      bounds: seconds,
    }),
    contentions: new CounterCells(registry, {
      name: "holdfast_lock_contentions_total",
      help: "Requests for a lock that met somebody else's: they were denied, or had to wait.",
      labels: ["lock_type"],
    }),
    waitDuration: new HistogramCells(registry, {
      name: "holdfast_lock_wait_seconds",
      help: "How long tickets that were granted had waited.",
      labels: ["lock_type"],
      bounds: longSeconds,
    }),
    holdDuration: new HistogramCells(registry, {
      name: "holdfast_lock_hold_seconds",
      help: "How long locks were held, by how they were left.",
      labels: ["how"],
      bounds: longSeconds,
    }),
  };
}

function conflictMetrics(registry: Registry) {
  return {
    deadlocks: new CounterCells(registry, {
      name: "holdfast_deadlock_detections_total",
      help: "Requests that were refused, or left the line, because waiting would never have ended.",
      labels: [],
    }),
    deadlockRetries: new CounterCells(registry, {
      name: "holdfast_deadlock_retries_total",
      help: "Attempts that callers said they make again after a deadlock.",
      labels: [],
    }),
    conflicts: new CounterCells(registry, {
      name: "holdfast_version_conflicts_total",
      help: "Writes that were refused because somebody else had changed the entity.",
      labels: [],
    }),
    conflictRetries: new CounterCells(registry, {
      name: "holdfast_version_conflict_retries_total",
      help: "Attempts that callers said they make again after a version conflict.",
      labels: [],
    }),
  };
}

function callMetrics(registry: Registry) {
  return {
    calls: new CounterCells(registry, {
      name: "holdfast_calls_total",
      help: "Calls, by door, operation and outcome: done, or the code of the problem.",
      labels: ["door", "operation", "outcome"],
    }),
    callDuration: new HistogramCells(registry, {
      name: "holdfast_call_duration_seconds",
      help: "How long calls took, from the door's hand-over to the answer.",
      labels: ["door", "operation"],
      bounds: seconds,
    }),
    turnedAway: new CounterCells(registry, {
      name: "holdfast_turned_away_total",
      help: "Callers that were not let in, by door and reason.",
      labels: ["door", "code"],
    }),
  };
}
