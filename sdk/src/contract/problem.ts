/**
 * A reason to refuse a request. Programs compare the code. `title` and `next` are for people. `retry` says what a client
 * may do by itself:
 * - `never`: the same request fails the same way;
 * - `new-key-after-read`: read again, decide again, and send a new request with a new key;
 * - `same-key`: the outcome is unknown or nothing happened, so send the same request with the same key or command id;
 * - `later`: send the same request after `retry_after_ms`.
 */
export interface Problem {
  readonly status: number;
  readonly retry: "never" | "new-key-after-read" | "same-key" | "later";
  readonly title: string;
  readonly next: string;
}
