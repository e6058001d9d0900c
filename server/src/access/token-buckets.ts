import type { Clock } from "../base/clock.ts";

/** Number of buckets at which full ones are removed. */
const bucketsMax = 10_000;

interface Bucket {
  tokens: number;
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
  take(key: string): number {
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#fill(key, nowMs);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    return Math.max(1, Math.ceil(((1 - bucket.tokens) * 1000) / this.#perSecond));
  }

  get size(): number {
    return this.#buckets.size;
  }

  #fill(key: string, nowMs: number): Bucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) {
      known.tokens = this.#tokensAt(known, nowMs);
      known.atMs = nowMs;
      return known;
    }
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(nowMs);
    const bucket = { tokens: this.#capacity, atMs: nowMs };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** The next sweep runs at twice the count, so that many busy keys do not make every call sweep. */
  #sweep(nowMs: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#tokensAt(bucket, nowMs) >= this.#capacity) this.#buckets.delete(key);
    }
    this.#sweepAt = Math.max(bucketsMax, this.#buckets.size * 2);
  }

  #tokensAt({ tokens, atMs }: Bucket, nowMs: number): number {
    return Math.min(this.#capacity, tokens + ((nowMs - atMs) * this.#perSecond) / 1000);
  }

  get #capacity(): number {
    return this.#perSecond * 2;
  }
}
