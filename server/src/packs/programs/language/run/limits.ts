import type { Pause, RunLimits } from "./frame.ts";

/**
 * Maximum nested evaluations. 2,500 closures fit the smallest stack that runs them. A RangeError of the host would be
 * another verdict on another thread.
 */
const depthMax = 2_500;

/** Bounds of an execution; `steps` is chosen by the caller. */
export function runLimits(steps: number, pause?: Pause): RunLimits {
  return { steps, depth: depthMax, memory: 64 * 1_024 * 1_024, output: 65_536, pause };
}

/** Maximum steps of one case. */
export const caseStepsMax = 100_000;
/** Maximum entries of a trace. */
export const traceMax = 1_000;
