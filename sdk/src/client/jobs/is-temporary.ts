import { HoldfastError } from "../holdfast-error.ts";

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): error is HoldfastError {
  return error instanceof HoldfastError && (error.retry === "same-key" || error.retry === "later");
}
