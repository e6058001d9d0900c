import type { LockHolder } from "../../operation-output.ts";
import type { DeniedLock } from "./lock.ts";

/** A denial as a value: the blockers as data and as a sentence. */
export function deniedLock(paths: readonly string[], data: Readonly<Record<string, unknown>>): DeniedLock {
  const holders = (data["holders"] ?? data["waitsFor"] ?? []) as readonly LockHolder[];
  const place = typeof data["place"] === "number" ? data["place"] : 1;
  const reason = typeof data["reason"] === "string" ? data["reason"] : "held by another owner";
  return {
    granted: false,
    reason,
    message: sentence(paths, holders, place, reason),
    holders,
    place,
    data,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function sentence(paths: readonly string[], holders: readonly LockHolder[], place: number, reason: string): string {
  const names = paths.join(", ");
  const position = `You would be number ${place} in the queue.`;
  if (holders.length === 0) return `${names} is not free: ${reason}. ${position}`;
  return `${names} is not free: ${holders.map(holderText).join("; ")}. ${position}`;
}

function holderText({ ownerId, name, purpose, note, path, mode, since, until }: LockHolder): string {
  const use = purpose === null ? "" : ` for "${purpose}"`;
  const last = note === null ? "" : `, last note "${note}"`;
  return `${name ?? ownerId} has a ${mode} lock on ${path}${use} since ${since}, until ${until} unless renewed${last}`;
}
