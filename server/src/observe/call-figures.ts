import type { CallOptions, CallReply } from "@holdfast/sdk";
import type { CountCell, SpreadCell } from "./cells.ts";
import { lockTypeOf } from "./lock-type.ts";
import type { LockType, Metrics } from "./metrics.ts";

/** A call that was answered. */
export interface AnsweredCall {
  readonly door: string;
  readonly operation: string;
  readonly input: unknown;
  readonly options: CallOptions;
  /** Undefined if the call failed without an answer, which is a defect. */
  readonly reply: CallReply | undefined;
  readonly durationMs: number;
}

interface OperationCells {
  readonly duration: SpreadCell;
  readonly outcomes: Map<string, CountCell>;
}

const asksForLock = new Set(["acquire-lock", "upgrade-lock"]);
const denials = new Set(["lock_denied", "upgrade_refused"]);

/** Counts calls. What became an entry is counted there (entry-figures.ts), so that nothing is counted twice. */
export class CallFigures {
  readonly #metrics: Metrics;
  readonly #operations: ReadonlySet<string>;
  readonly #acquired: Readonly<Record<LockType, SpreadCell>>;
  readonly #doors = new Map<string, Map<string, OperationCells>>();

  /** `operations` are the names that get a series of their own; a caller's inventions share one. */
  constructor(metrics: Metrics, operations: readonly string[]) {
    this.#metrics = metrics;
    const cell = (lock_type: LockType): SpreadCell => metrics.acquisitionDuration.cell({ lock_type });
    this.#acquired = { read: cell("read"), upgradeable: cell("upgradeable"), write: cell("write") };
    this.#operations = new Set(operations);
  }

  note(call: AnsweredCall): void {
    const { operation, reply, options } = call;
    const cells = this.#cellsOf(call.door, operation);
    const seconds = call.durationMs / 1000;
    cells.duration.observe(seconds);
    this.#outcomeCell(cells, call.door, operation, codeOf(reply)).count += 1;
    if (options.retry !== undefined) this.#noteRetry(options.retry);
    if (asksForLock.has(operation) && reply?.replayed === false) this.#noteLock(call, reply, seconds);
  }

  noteTurnedAway(door: string, code: string): void {
    this.#metrics.turnedAway.cell({ door, code }).count += 1;
  }

  #noteRetry(retry: string): void {
    const { deadlockRetries, conflictRetries } = this.#metrics;
    if (retry === "deadlock") deadlockRetries.cell({}).count += 1;
    else if (retry === "conflict") conflictRetries.cell({}).count += 1;
  }

  #noteLock({ operation, input }: AnsweredCall, { outcome }: CallReply, seconds: number): void {
    if (outcome.kind === "done") {
      const { granted } = outcome.data as { readonly granted?: unknown };
      if (granted === true) this.#acquired[typeOf(operation, input)].observe(seconds);
    } else if (denials.has(outcome.code)) {
      const lock_type = typeOf(operation, input);
      this.#metrics.acquisitions.cell({ lock_type, status: "denied" }).count += 1;
      this.#metrics.contentions.cell({ lock_type }).count += 1;
    }
  }

  #cellsOf(door: string, operation: string): OperationCells {
    const known = this.#doors.get(door)?.get(operation);
    if (known !== undefined) return known;
    const name = this.#operations.has(operation) ? operation : "unknown";
    let operations = this.#doors.get(door);
    if (operations === undefined) this.#doors.set(door, (operations = new Map<string, OperationCells>()));
    let cells = operations.get(name);
    if (cells === undefined) {
      cells = { duration: this.#metrics.callDuration.cell({ door, operation: name }), outcomes: new Map() };
      operations.set(name, cells);
    }
    return cells;
  }

  #outcomeCell({ outcomes }: OperationCells, door: string, operation: string, outcome: string): CountCell {
    let cell = outcomes.get(outcome);
    if (cell === undefined) {
      const name = this.#operations.has(operation) ? operation : "unknown";
      cell = this.#metrics.calls.cell({ door, operation: name, outcome });
      outcomes.set(outcome, cell);
    }
    return cell;
  }
}

/** An upgrade asks for a write lock, whatever is held. */
function typeOf(operation: string, input: unknown): LockType {
  return operation === "upgrade-lock" ? "write" : lockTypeOf(input);
}

export function codeOf(reply: CallReply | undefined): string {
  if (reply === undefined) return "failed";
  return reply.outcome.kind === "done" ? "done" : reply.outcome.code;
}
