import type { CaseOutcome } from "./run-case.ts";
import type { Typing } from "./types.ts";

/** Maximum size of a cache, in bytes as estimated. A full cache is emptied: results can be computed again. */
const bytesMax = 64 * 1_024 * 1_024;

/** Estimated bytes of an entry without its key. */
const entryBytes = 200;

class ResultCache<Result> {
  readonly #results = new Map<string, Result>();
  #bytes = 0;

  get(key: string): Result | undefined {
    return this.#results.get(key);
  }

  /** `bytes` estimates the result. */
  set(key: string, result: Result, bytes = 0): void {
    if (this.#results.has(key)) return;
    const added = entryBytes + key.length + bytes;
    if (this.#bytes + added > bytesMax) {
      this.#results.clear();
      this.#bytes = 0;
    }
    this.#bytes += added;
    this.#results.set(key, result);
  }
}

/** Results by content, shared by all checks of a thread. A verdict is the same with and without them. */
export interface CheckCaches {
  readonly typings: ResultCache<Typing>;
  readonly cases: ResultCache<CaseOutcome>;
}

export function newCheckCaches(): CheckCaches {
  return { typings: new ResultCache(), cases: new ResultCache() };
}
