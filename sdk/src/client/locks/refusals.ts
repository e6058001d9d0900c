import { HoldfastError } from "../holdfast-error.ts";

export function codeOf(error: unknown): string | undefined {
  return error instanceof HoldfastError ? error.code : undefined;
}

/** Whether the same may be done later: nothing was refused, only not reached. */
export function mayWorkLater(error: unknown): boolean {
  return error instanceof HoldfastError && (error.retry === "same-key" || error.retry === "later");
}

/** What somebody asked for when the client was closed, who is told so. */
export function closedError(operation: string): HoldfastError {
  return new HoldfastError(operation, "closed");
}
