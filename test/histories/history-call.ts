/** The calls of the clients in a history, with their answers, as an observer outside of Holdfast records them. */

/** Entities and locks have the same names here: the path of a lock guards the entity that has it as its subject. */
export type HistoryRequest =
  | { readonly kind: "read"; readonly subject: string }
  | {
      readonly kind: "write";
      readonly subject: string;
      /** The unique number of the write. Its entry contains it, so that the checker can count effects. */
      readonly number: number;
      readonly expected?: number;
      readonly fence?: string;
    }
  | {
      readonly kind: "acquire";
      readonly subject: string;
      readonly owner: string;
      readonly ttlMs: number;
      /** Its client withdraws it, and does not use its answer. */
      readonly isAbandoned?: true;
    }
  | { readonly kind: "release"; readonly subject: string; readonly owner: string; readonly fence: string }
  /** Withdraws the acquire with this key. */
  | { readonly kind: "withdraw"; readonly subject: string; readonly owner: string; readonly acquire: string };

export interface HistoryAnswer {
  /** `done`, or the code of a refusal. */
  readonly code: string;
  readonly position: number;
  /** The version of the entity that the call read or wrote. */
  readonly version?: number;
  readonly number?: number;
  /** The fence of a grant. */
  readonly fence?: string;
  /** The state of the request that a withdrawal found, and whether it released the lock. */
  readonly found?: string;
  readonly hasReleased?: boolean;
}

/** The answer to an acquire that was withdrawn. It may have been granted or denied before. */
export const withdrawnCode = "request_withdrawn";

export interface HistoryCall {
  readonly client: number;
  readonly request: HistoryRequest;
  /** The idempotency key of the call and its retries. */
  readonly key?: string;
  /** Milliseconds of one monotonic clock; `end` is the time of the answer, or Infinity. */
  readonly begin: number;
  readonly end: number;
  /** Undefined if the answer was lost. */
  readonly answer?: HistoryAnswer;
  /** The refusals of earlier attempts. */
  readonly earlierCodes?: readonly string[];
}

/** A history in which a promise was broken. */
export class BrokenHistory extends Error {
  override readonly name = "BrokenHistory";
}

export function broken(promise: string, detail: unknown): never {
  throw new BrokenHistory(`${promise}: ${JSON.stringify(detail)}`);
}
