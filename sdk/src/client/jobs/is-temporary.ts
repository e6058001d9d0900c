import { HoldfastError } from "../holdfast-error.ts";

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  return error instanceof HoldfastError && (error.retry === "same-key" || error.retry === "later");
}
