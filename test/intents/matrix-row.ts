import type { Client } from "holdfast";
import type { ClientNode } from "../client/client-node.ts";

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

/** The proof is a function, or it is elsewhere: a test, or a row of a benchmark, with this text in the file. */
export type MatrixProof =
  ((client: Client, node: ClientNode) => Promise<void>) | { readonly file: string; readonly text: string };

export interface MatrixRow {
  readonly category: keyof typeof matrixCategories;
  readonly promise: string;
  readonly prove: MatrixProof;
  /** The row of `bench/intents.ts` that measures it. */
  readonly figure?: string;
}
