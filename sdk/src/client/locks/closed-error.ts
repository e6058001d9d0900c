import { HoldfastError } from "../holdfast-error.ts";

export function refusalCodeOf(error: unknown): string | undefined {
  return error instanceof HoldfastError ? error.code : undefined;
}

/** Whether a retry may succeed: the call was not refused, only not delivered. */
export function mayWorkLater(error: unknown): boolean {
  return error instanceof HoldfastError && (error.retry === "same-key" || error.retry === "later");
}

/** The error of a request that was pending when the client was closed. */
export function closedError(operation: string): HoldfastError {
  return new HoldfastError(operation, "closed");
}
