import { allOperations } from "../contract/all-operations.ts";
import type { Operation } from "../contract/operation.ts";

const operations: Readonly<Record<string, Operation | undefined>> = allOperations;

/** Writes that come to the same when they are done twice in a row: asking again for what one holds gives the same fence. */
const sameTwice = new Set(["acquire-lock", "renew-lock", "claim-lock", "heartbeat"]);

/** Whether a call may be sent again when nobody knows if it arrived. */
export function isRepeatable(operation: string, key: string | undefined): boolean {
  return key !== undefined || sameTwice.has(operation) || operations[operation]?.kind === "read";
}
