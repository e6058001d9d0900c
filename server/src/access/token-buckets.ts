import type { Clock } from "../base/clock.ts";

/** Number of buckets at which full ones are removed. */
const bucketsMax = 10_000;

interface Bucket {
  left: number;
  atMs: number;
}

/**
 * A rate per second for each key, with a burst of twice that after a pause. A full bucket equals no bucket, so keys
 * that appear once need no memory.
 */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = bucketsMax;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** Takes a token. Without one, nothing is taken, and the result is the milliseconds until the next. */
  take(name: string): number {
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#fill(name, nowMs);
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return 0;
    }
    return Math.max(1, Math.ceil(((1 - bucket.left) * 1000) / this.#perSecond));
  }

  get size(): number {
    return this.#buckets.size;
  }

  #fill(name: string, nowMs: number): Bucket {
    const known = this.#buckets.get(name);
    if (known !== undefined) {
      known.left = this.#leftAt(known, nowMs);
      known.atMs = nowMs;
      return known;
    }
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(nowMs);
    const bucket = { left: this.#full, atMs: nowMs };
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** The next sweep runs at twice the count, so that many busy keys do not make every call sweep. */
  #sweep(nowMs: number): void {
    for (const [name, bucket] of this.#buckets) {
      if (this.#leftAt(bucket, nowMs) >= this.#full) this.#buckets.delete(name);
    }
    this.#sweepAt = Math.max(bucketsMax, this.#buckets.size * 2);
  }

  #leftAt({ left, atMs }: Bucket, nowMs: number): number {
    return Math.min(this.#full, left + ((nowMs - atMs) * this.#perSecond) / 1000);
  }

  get #full(): number {
    return this.#perSecond * 2;
  }
}
