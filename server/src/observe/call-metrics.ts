import type { CallOptions, CallReply } from "@holdfast/sdk";
import type { CounterSeries } from "./counter-family.ts";
import type { HistogramSeries } from "./histogram-family.ts";
import { lockTypeOf } from "./lock-type.ts";
import type { LockType } from "./lock-type.ts";
import type { Metrics } from "./metrics.ts";

/** A call that was answered. */
export interface AnsweredCall {
  readonly door: string;
  readonly operation: string;
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

const acquiringOperations = new Set(["acquire-lock", "upgrade-lock"]);
const denialCodes = new Set(["lock_denied", "upgrade_refused"]);

/** Counts calls. `EntryMetrics` counts entries, so that nothing is counted twice. */
export class CallMetrics {
  readonly #metrics: Metrics;
  readonly #operations: ReadonlySet<string>;
  readonly #acquired: Readonly<Record<LockType, HistogramSeries>>;
  readonly #doors = new Map<string, Map<string, OperationSeries>>();

  /** `operations` are the names with a series of their own. All other names share the series `unknown`. */
  constructor(metrics: Metrics, operations: readonly string[]) {
    this.#metrics = metrics;
    const seriesOf = (lock_type: LockType): HistogramSeries => metrics.acquisitionDuration.series({ lock_type });
    this.#acquired = { read: seriesOf("read"), upgradeable: seriesOf("upgradeable"), write: seriesOf("write") };
    this.#operations = new Set(operations);
  }

  record(call: AnsweredCall): void {
    const { operation, reply, options } = call;
    const series = this.#seriesOf(call.door, operation);
    const seconds = call.durationMs / 1000;
    series.duration.observe(seconds);
    this.#outcomeSeries(series, call.door, operation, outcomeCodeOf(reply)).count += 1;
    if (options.retry !== undefined) this.#recordRetry(options.retry);
    if (acquiringOperations.has(operation) && reply?.replayed === false) this.#recordAcquire(call, reply, seconds);
  }

  recordRejection(door: string, code: string): void {
    this.#metrics.rejections.series({ door, code }).count += 1;
  }

  #recordRetry(retry: string): void {
    const { deadlockRetries, conflictRetries } = this.#metrics;
    if (retry === "deadlock") deadlockRetries.series({}).count += 1;
    else if (retry === "conflict") conflictRetries.series({}).count += 1;
  }

  #recordAcquire({ operation, input }: AnsweredCall, { outcome }: CallReply, seconds: number): void {
    if (outcome.kind === "done") {
      const { granted } = outcome.data as { readonly granted?: unknown };
      if (granted === true) this.#acquired[typeOf(operation, input)].observe(seconds);
    } else if (denialCodes.has(outcome.code)) {
      const lock_type = typeOf(operation, input);
      this.#metrics.acquisitions.series({ lock_type, status: "denied" }).count += 1;
      this.#metrics.contentions.series({ lock_type }).count += 1;
    }
  }

  #seriesOf(door: string, operation: string): OperationSeries {
    const known = this.#doors.get(door)?.get(operation);
    if (known !== undefined) return known;
    const name = this.#operations.has(operation) ? operation : "unknown";
    let operations = this.#doors.get(door);
    if (operations === undefined) this.#doors.set(door, (operations = new Map<string, OperationSeries>()));
    let series = operations.get(name);
    if (series === undefined) {
      series = { duration: this.#metrics.callDuration.series({ door, operation: name }), outcomes: new Map() };
      operations.set(name, series);
    }
    return series;
  }

  #outcomeSeries({ outcomes }: OperationSeries, door: string, operation: string, outcome: string): CounterSeries {
    let series = outcomes.get(outcome);
    if (series === undefined) {
      const name = this.#operations.has(operation) ? operation : "unknown";
      series = this.#metrics.calls.series({ door, operation: name, outcome });
      outcomes.set(outcome, series);
    }
    return series;
  }
}

/** An upgrade requests a write lock, in whichever mode the lock is held. */
function typeOf(operation: string, input: unknown): LockType {
  return operation === "upgrade-lock" ? "write" : lockTypeOf(input);
}

export function outcomeCodeOf(reply: CallReply | undefined): string {
  if (reply === undefined) return "failed";
  return reply.outcome.kind === "done" ? "done" : reply.outcome.code;
}
