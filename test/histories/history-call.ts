/** What clients asked for and what they were told, as a stranger who watches them would write it down. */

/** Entities and locks have the same names here: the path of a lock guards the entity that has it as its subject. */
export type HistoryRequest =
  | { readonly kind: "read"; readonly subject: string }
  | {
      readonly kind: "write";
      readonly subject: string;
      /** Every write brings a number of its own, which its entry keeps: so effects can be counted. */
      readonly number: number;
      readonly expected?: number;
      readonly fence?: string;
    }
  | { readonly kind: "acquire"; readonly subject: string; readonly owner: string; readonly ttlMs: number }
  | { readonly kind: "release"; readonly subject: string; readonly owner: string; readonly fence: string };

export interface HistoryAnswer {
  /** `done`, or the code of a refusal. */
  readonly code: string;
  readonly position: number;
  /** Of the entity: what was read, or what was written. */
  readonly version?: number;
  readonly number?: number;
  /** Of a grant. */
  readonly fence?: string;
}

export interface HistoryCall {
  readonly client: number;
  readonly request: HistoryRequest;
  /** The key under which it was sent, and sent again until it was answered. */
  readonly key?: string;
  /** Milliseconds of one clock that only grows; `end` is when the answer was there, or never. */
  readonly begin: number;
  readonly end: number;
  /** Nothing, if nobody knows what came of it. */
  readonly answer?: HistoryAnswer;
  /** What it was told at earlier tries, after which it was sent again. */
  readonly earlierCodes?: readonly string[];
}

/** A history in which a promise was broken. */
export class BrokenHistory extends Error {
  override readonly name = "BrokenPromise";
}

export function broken(promise: string, detail: unknown): never {
  throw new BrokenHistory(`${promise}: ${JSON.stringify(detail)}`);
}
