/** Commands that the engine itself sends and recognises. The engine knows no feature, so they are defined here. */
import type { Entry } from "../../machine/entry.ts";
import type { TimerCommand } from "../../machine/feature.ts";
import type { StateReader } from "../../machine/state.ts";
import { currentEpoch } from "./space-table.ts";

/** History was lost. Tokens of the lost part must be refused. */
export function epochCommand(id: string, lost: StateReader, reason: string): TimerCommand {
  return { id, operation: "raise-epoch", input: { above: currentEpoch(lost), reason } };
}

/**
 * The journal was restored or copied, so another continuation of the same history may exist, with unknown epochs.
 *
 * The new epoch is at least the number of milliseconds since 1970, which exceeds all of them: restoring a store and
 * connecting to it takes longer than a millisecond. Only a clock that was set back could repeat an epoch that no node
 * remembers. A node that remembers one passes it as `above`.
 */
export function forkCommand(id: string, state: StateReader, reason: string, time: number): TimerCommand {
  return { id, operation: "raise-epoch", input: { above: currentEpoch(state), at_least: Math.floor(time), reason } };
}

export function hashCommand(position: number, hash: string): TimerCommand {
  return { id: `state-hash:${String(position)}`, operation: "record-state-hash", input: { position, hash } };
}

/** The hash of the state that an entry records, if it does. */
export function recordedHash(entry: Entry): { readonly position: number; readonly hash: string } | undefined {
  const event = entry.events.find(({ type }) => type === "space.state_hashed");
  if (event === undefined || entry.erased !== undefined) return undefined;
  return { position: event.data["position"] as number, hash: event.data["hash"] as string };
}

/** The position of the entry whose payload an entry erased, if it did. */
export function erasedPosition({ operation, events }: Entry): number | undefined {
  // Called for every entry, and almost none of them is an erasure.
  if (operation !== "erase-payload") return undefined;
  const position = events.find(({ type }) => type === "payload.erased")?.data["position"];
  return typeof position === "number" ? position : undefined;
}
