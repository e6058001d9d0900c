import type { CaseOutcome } from "./run-case.ts";
import type { Typing } from "./types.ts";

/** Maximum entries of each cache. A full cache is emptied: entries are results that can be computed again. */
const entriesMax = 200_000;

class ResultCache<Result> {
  readonly #results = new Map<string, Result>();

  get(key: string): Result | undefined {
    return this.#results.get(key);
  }

  set(key: string, result: Result): void {
    if (this.#results.size >= entriesMax) this.#results.clear();
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
