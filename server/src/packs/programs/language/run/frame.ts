/** The state of an execution. Exceptions of this file end it, or leave a loop or a function early. */
import type { DiagnosticCode } from "../diagnostic.ts";
import type { Value } from "./values.ts";

type LimitName = "steps" | "depth" | "memory" | "output";

export interface RunLimits {
  readonly steps: number;
  readonly depth: number;
  readonly memory: number;
  readonly output: number;
  /** Called after every `pauseSteps` steps, so that a long execution lets other work proceed. It changes no result. */
  readonly pause?: Pause | undefined;
}

export type Pause = () => void;

/** Steps between two pauses: about half a millisecond. */
const pauseSteps = 10_000;

export interface TraceEntry {
  readonly node_id: number;
  readonly op: string;
  readonly inputs: readonly Value[];
  readonly output: Value;
}

/** The resources and the output of one execution. */
export interface Execution {
  steps: number;
  /** The number of steps at which it pauses or has no more steps. */
  stepsEnd: number;
  depth: number;
  memory: number;
  outputLength: number;
  readonly limits: RunLimits;
  readonly output: string[];
  readonly console: readonly string[];
  consoleAt: number;
  /** Values that the nodes being evaluated have received, if a trace is recorded. */
  readonly received: Value[][] | undefined;
  readonly trace: TraceEntry[];
}

export interface CallFrame {
  readonly slots: Value[];
  readonly execution: Execution;
  /** The value of `return`, and `result` inside `ensures`. */
  result: Value;
}

export type Code = (frame: CallFrame) => Value;

export interface RunFailure {
  readonly code: DiagnosticCode;
  readonly function_id: string | null;
  readonly node_id: number | null;
  readonly message: string;
  readonly condition?: string;
  readonly because?: string;
}

export class LimitExceeded {
  readonly limit: LimitName;
  constructor(limit: LimitName) {
    this.limit = limit;
  }
}

/** A trap: the operation has no result for these values. */
export class Trap {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** A trap, a condition or an assertion, with the place where it failed. */
export class ExecutionFailed {
  readonly failure: RunFailure;
  /** The value that breaks `ensures`. */
  readonly result: Value;
  constructor(failure: RunFailure, result: Value = null) {
    this.failure = failure;
    this.result = result;
  }
}

/** Ends an evaluation. These are not errors: a stack trace for each would cost more than the evaluation itself. */
export function leave(signal: object): never {
  // eslint-disable-next-line @typescript-eslint/only-throw-error
  throw signal;
}

export function trap(message: string): never {
  leave(new Trap(message));
}

export const returnSignal = { signal: "return" } as const;
export const breakSignal = { signal: "break" } as const;
export const continueSignal = { signal: "continue" } as const;

export function firstStepsEnd({ steps, pause }: RunLimits): number {
  return pause === undefined ? steps : Math.min(steps, pauseSteps);
}

/** The steps until the next pause are used, or all steps. */
export function endSteps(execution: Execution): void {
  const { steps, limits } = execution;
  if (steps > limits.steps) leave(new LimitExceeded("steps"));
  execution.stepsEnd = Math.min(limits.steps, steps + pauseSteps);
  limits.pause?.();
}

/** Counts work, by the length of lists and texts for operations that copy them. */
export function spend(frame: CallFrame, steps: number): void {
  const { execution } = frame;
  execution.steps += steps;
  if (execution.steps > execution.stepsEnd) endSteps(execution);
}

/** The number of steps that an execution may still take. */
export const stepsLeft = ({ execution }: CallFrame): number => execution.limits.steps - execution.steps;

/** Counts the size of a new value. The sum of all new values is bounded, so a loop cannot fill the memory. */
export function allocate(frame: CallFrame, units: number): void {
  spend(frame, units);
  const { execution } = frame;
  execution.memory += 16 + 16 * units;
  if (execution.memory > execution.limits.memory) leave(new LimitExceeded("memory"));
}
