/**
 * Withdrawals of requests. A withdrawal is recorded under a key made of the operation and the key of its request. So a
 * repeated withdrawal is a replay, and a late copy of the request finds it.
 */

/** The operations whose requests can be withdrawn. */
export const withdrawableOperations = ["acquire-lock", "upgrade-lock"] as const;

/** The operation that withdraws. */
export const withdrawal = "withdraw-request";

/** A request by its operation and its idempotency key. */
export interface KeyedRequest {
  readonly operation: string;
  readonly key: string;
}

/** The key under which the withdrawal of a request is recorded. */
export function withdrawalKey({ operation, key }: KeyedRequest): string {
  return `${operation} ${key}`;
}

/** The request of a withdrawal, from its key. */
export function requestOfWithdrawal(key: string): KeyedRequest {
  const gap = key.indexOf(" ");
  return { operation: key.slice(0, gap), key: key.slice(gap + 1) };
}
