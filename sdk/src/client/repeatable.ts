import { operationData } from "./data/operation-data.ts";

/** Writes with the same result when they run twice: a repeated request for a held lock returns the same fence. */
const idempotentWrites = new Map<string, (input: Readonly<Record<string, unknown>>) => boolean>([
  ["heartbeat", () => true],
  ["register-agent", ({ own_key }) => typeof own_key === "string"],
  // A copy that arrives after the grant has ended would queue again. A key turns that copy into a replay.
  ["acquire-lock", ({ wait }) => wait !== true],
  ["accept-lock", () => true],
  ["renew-lock", () => true],
]);

/** Writes to which the client adds no key, because their input may have one. */
const withOwnKey: ReadonlySet<string> = new Set(["register-agent"]);

/** Whether a call may be sent again when its arrival is unknown. */
export function isRepeatable(operation: string, input: unknown, key: string | undefined): boolean {
  return key !== undefined || operationData(operation)?.kind === "read" || isSameTwice(operation, input);
}

/** Whether a write needs a key to be repeatable. The operations of kinds are writes. */
export function needsKey(operation: string, input: unknown): boolean {
  return !withOwnKey.has(operation) && !isRepeatable(operation, input, undefined);
}

function isSameTwice(operation: string, input: unknown): boolean {
  // A value that is not an input is refused anyway.
  if (typeof input !== "object" || input === null) return false;
  return idempotentWrites.get(operation)?.(input as Readonly<Record<string, unknown>>) === true;
}
