import { operationData } from "./data/operation-data.ts";

/** Whether a call may be sent again when its arrival is unknown. */
export function isRepeatable(operation: string, input: unknown, key: string | undefined): boolean {
  return key !== undefined || operationData(operation)?.kind === "read" || isSameTwice(operation, input);
}

/** Whether a write needs a key to be repeatable. The operations of kinds are writes. */
export function needsKey(operation: string, input: unknown): boolean {
  // The client adds no key where the input may have one.
  if (operationData(operation)?.isRepeatable === "with-own-key") return false;
  return !isRepeatable(operation, input, undefined);
}

/** Whether a second run has the same result: a repeated request for a held lock returns the same fence. */
function isSameTwice(operation: string, input: unknown): boolean {
  // A value that is not an input is refused anyway.
  if (typeof input !== "object" || input === null) return false;
  const { own_key: ownKey, wait } = input as Readonly<Record<string, unknown>>;
  const rule = operationData(operation)?.isRepeatable;
  if (rule === "with-own-key") return typeof ownKey === "string";
  return rule === "always" || (rule === "unless-it-waits" && wait !== true);
}
