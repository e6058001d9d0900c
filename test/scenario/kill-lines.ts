/** Messages between the killed process and its parent: one plan in, then one line of JSON for each event. */
export interface WriteRequest {
  /** Unique in a run, and part of the entry, so that effects can be counted. */
  readonly number: number;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly key?: string;
}

export interface Plan {
  readonly folder: string;
  /** Number of index rows that are kept in memory. If missing, Holdfast uses its default. */
  readonly tailRows?: number;
  readonly seed: number;
  readonly callers: number;
  /** Sent before new requests, in this order. */
  readonly requests: readonly WriteRequest[];
  /** The number of the first new request. */
  readonly from: number;
  readonly freshMax: number;
  /** The step and the append at which the process kills itself. */
  readonly dies?: { readonly at: Point; readonly append: number };
}

/** The steps of an append, between which a process can die. */
export const points = [
  "before the transaction",
  "after BEGIN",
  "after INSERT",
  "after COMMIT",
  "before the reply",
] as const;

export type Point = (typeof points)[number];

export interface Answer {
  readonly outcome: {
    readonly kind: "done" | "refusal";
    readonly code?: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
  readonly position: number;
  readonly replayed: boolean;
}

export type Line =
  | { readonly kind: "up" }
  /** Written before the request is sent. */
  | { readonly kind: "sent"; readonly request: WriteRequest }
  /** Written after it was acknowledged. */
  | { readonly kind: "answered"; readonly number: number; readonly answer: Answer }
  | { readonly kind: "closing" }
  | { readonly kind: "closed" };

/** A random number from 0 to below 1. The same seed gives the same sequence. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
