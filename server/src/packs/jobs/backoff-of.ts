import { fnv1a } from "../fnv-1a.ts";

/** Maximum time between two attempts. */
const backoffMaxMs = 3_600_000;

/**
 * The time until the next attempt: doubled with each one. The upper half comes from a hash of job and attempt, so that
 * jobs that failed together are not retried together. Random numbers would make replays differ.
 */
export function backoffOf(id: string, attempt: number, baseMs: number): number {
  const ms = Math.min(baseMs * 2 ** Math.min(attempt - 1, 30), backoffMaxMs);
  const half = Math.floor(ms / 2);
  return ms - half + (fnv1a(`${id} ${attempt}`) % (half + 1));
}
