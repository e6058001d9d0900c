export interface BackoffBounds {
  /** The first delay, which doubles with each try. */
  readonly baseMs: number;
  /** The longest delay. */
  readonly capMs: number;
}

/**
 * The delay after a failed try, counted from 1. Jitter from 0 to 1 chooses in the upper half of it, so that clients
 * that failed together do not return together. 1 is the whole delay.
 */
export function backoffMs({ baseMs, capMs }: BackoffBounds, tried: number, jitter = 1): number {
  const wholeMs = Math.min(capMs, baseMs * 2 ** Math.min(tried - 1, 30));
  return wholeMs / 2 + (wholeMs / 2) * jitter;
}
