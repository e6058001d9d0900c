import type { Client } from "holdfast";
import type { ManualClock } from "../engine/manual-clock.ts";

/** The categories of the matrix, with the number of rows of each. */
export const matrixCategories = {
  "bridge execution": 8,
  enum: 3,
  idempotency: 3,
  conflict: 2,
  modes: 3,
  order: 2,
  transitions: 5,
  "concurrent updates": 3,
  deadlock: 3,
  audit: 3,
  performance: 3,
} as const;

/** The node of a row. Time passes only when the row moves its clock. */
export interface MatrixNode extends AsyncDisposable {
  /** A client of its own owner. */
  fresh(name: string): Client;
  readonly clock: Pick<ManualClock, "pass" | "monotonicMs">;
}

/** The proof is a function, or it is elsewhere: a test, or a row of a benchmark, with this text in the file. */
export type MatrixProof =
  | ((client: Client, node: MatrixNode) => Promise<void>)
  | { readonly file: string; readonly text: string };

export interface MatrixRow {
  readonly category: keyof typeof matrixCategories;
  readonly promise: string;
  readonly prove: MatrixProof;
  /** The row of `bench/intents.ts` that measures it. */
  readonly figure?: string;
}

/** Moves the clock until the work has ended. */
export async function passUntil<Result>(clock: MatrixNode["clock"], work: Promise<Result>): Promise<Result> {
  const ended = new AbortController();
  const end = (): void => {
    ended.abort();
  };
  work.then(end, end);
  while (!ended.signal.aborted) await clock.pass(20, 20);
  return work;
}
