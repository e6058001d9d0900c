import { problemOf } from "@holdfast/sdk/contract";
import type { CallOptions, CallReply } from "@holdfast/sdk";
import type { OperationRecord } from "../operations/operation-record.ts";
import type { CounterSeries } from "./counter-family.ts";
import type { HistogramSeries } from "./histogram-family.ts";
import { lockTypeOf } from "./lock-type.ts";
import type { LockType } from "./lock-type.ts";
import type { Metrics } from "./metrics.ts";

/** A call that was answered. */
export interface AnsweredCall {
  readonly door: string;
  readonly record: OperationRecord;
  readonly input: unknown;
  readonly options: CallOptions;
  /** Undefined if the call threw instead of returning a reply, which is a defect. */
  readonly reply: CallReply | undefined;
  readonly durationMs: number;
}

interface OperationSeries {
  readonly duration: HistogramSeries;
  readonly outcomes: Map<string, CounterSeries>;
}

/** Counts calls. `EntryMetrics` counts entries, so that nothing is counted twice. */
export class CallMetrics {
  readonly #metrics: Metrics;
  readonly #acquired: Readonly<Record<LockType, HistogramSeries>>;
  readonly #doors = new Map<string, Map<string, OperationSeries>>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    const seriesOf = (lock_type: LockType): HistogramSeries => metrics.acquisitionDuration.series({ lock_type });
    this.#acquired = { read: seriesOf("read"), upgradeable: seriesOf("upgradeable"), write: seriesOf("write") };
  }

  record(call: AnsweredCall): void {
    const { record, reply, options } = call;
    const operation = seriesName(record);
    const series = this.#seriesOf(call.door, operation);
    const seconds = call.durationMs / 1000;
    series.duration.observe(seconds);
    this.#outcomeSeries(series, call.door, operation, outcomeCodeOf(reply)).count += 1;
    if (options.retry !== undefined) this.#recordRetry(options.retry);
    if (reply?.replayed !== false) return;
    if (reply.outcome.kind === "refusal") this.#recordRefusal(call, reply.outcome.code);
    else if (record.acquires !== undefined) this.#recordAcquire(call, reply.outcome.data, seconds);
  }

  recordRejection(door: string, code: string): void {
    this.#metrics.rejections.series({ door, code }).count += 1;
  }

  #recordRetry(retry: string): void {
    const { deadlockRetries, conflictRetries } = this.#metrics;
    if (retry === "deadlock") deadlockRetries.series({}).count += 1;
    else if (retry === "conflict") conflictRetries.series({}).count += 1;
  }

  #recordAcquire({ record, input }: AnsweredCall, data: unknown, seconds: number): void {
    const { granted } = data as { readonly granted?: unknown };
    if (granted === true) this.#acquired[typeOf(record, input)].observe(seconds);
  }

  /** An operation of a pack that needs a lock of another owner is denied as well. */
  #recordRefusal({ record, input }: AnsweredCall, code: string): void {
    if (problemOf(code).isContention !== true) return;
    const lock_type = typeOf(record, input);
    this.#metrics.acquisitions.series({ lock_type, status: "denied" }).count += 1;
    this.#metrics.contentions.series({ lock_type }).count += 1;
  }

  #seriesOf(door: string, operation: string): OperationSeries {
    let operations = this.#doors.get(door);
    if (operations === undefined) this.#doors.set(door, (operations = new Map<string, OperationSeries>()));
    let series = operations.get(operation);
    if (series === undefined) {
      series = { duration: this.#metrics.callDuration.series({ door, operation }), outcomes: new Map() };
      operations.set(operation, series);
    }
    return series;
  }

  #outcomeSeries({ outcomes }: OperationSeries, door: string, operation: string, outcome: string): CounterSeries {
    let series = outcomes.get(outcome);
    if (series === undefined) {
      series = this.#metrics.calls.series({ door, operation, outcome });
      outcomes.set(outcome, series);
    }
    return series;
  }
}

/** Names that no operation has share a series, so that callers cannot make new ones. */
function seriesName({ kind, name }: OperationRecord): string {
  return kind === "internal" ? "unknown" : name;
}

/** An operation that names no modes needs a write lock, such as an upgrade or a write of a pack. */
function typeOf({ acquires }: OperationRecord, input: unknown): LockType {
  return acquires === "named-modes" ? lockTypeOf(input) : "write";
}

export function outcomeCodeOf(reply: CallReply | undefined): string {
  if (reply === undefined) return "failed";
  return reply.outcome.kind === "done" ? "done" : reply.outcome.code;
}
