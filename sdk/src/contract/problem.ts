/**
 * A reason for which something may be refused. The code is what programs compare; title and `next` are for
 * people. `retry` tells a client what it may do by itself:
 * - `never`: the same request will fail the same way;
 * - `new-key-after-read`: read again, decide again, and send a new request (with a new key);
 * - `same-key`: nobody knows or nothing happened; send the same request with the same key or command id;
 * - `later`: the same request, after `retry_after_ms`.
 */
export interface Problem {
  readonly status: number;
  readonly retry: "never" | "new-key-after-read" | "same-key" | "later";
  readonly title: string;
  readonly next: string;
}
