import { join } from "node:path";

/** The log of a server that `up --detach` started. */
export function logFileOf(folder: string): string {
  return join(folder, "holdfast.log");
}
