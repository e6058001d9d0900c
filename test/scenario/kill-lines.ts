/** What the killed process and its parent tell each other: one plan in, then one line of JSON for everything that happens. */
export interface Wish {
  /** Every wish of a run has its own number, and its entry holds it: so effects can be counted. */
  readonly number: number;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly key?: string;
}

export interface Plan {
  readonly folder: string;
  /** How many index rows are kept in memory; without it, Holdfast is opened as every program opens it. */
  readonly tailRows?: number;
  readonly seed: number;
  readonly callers: number;
  /** Sent before anything new, in this order. */
  readonly wishes: readonly Wish[];
  /** New wishes have numbers from here on. */
  readonly from: number;
  readonly freshMax: number;
  /** Where the process kills itself, and at which append. */
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
  /** Written before the wish is sent. */
  | { readonly kind: "sent"; readonly wish: Wish }
  /** Written after it was acknowledged. */
  | { readonly kind: "answered"; readonly number: number; readonly answer: Answer }
  | { readonly kind: "closing" }
  | { readonly kind: "closed" };

/** A random number from 0 to below 1, the same ones for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
