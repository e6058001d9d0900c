/** What the engine sends and recognises by itself, in the words of the space: the engine knows no feature. */
import type { Entry } from "../../machine/entry.ts";
import type { TimerCommand } from "../../machine/feature.ts";
import type { StateReader } from "../../machine/state.ts";
import { currentEpoch } from "./space-table.ts";

/** History was lost: tokens of the lost part must be refused from now on. */
export function epochCommand(id: string, lost: StateReader, reason: string): TimerCommand {
  return { id, operation: "raise-epoch", input: { above: currentEpoch(lost), reason } };
}

/**
 * The journal was restored or copied: there may be another future of the same past, with epochs of its own that nobody
 * here can know. Milliseconds since 1970 are beyond any of them: between two losses a store is put back and a node connects
 * to it, which takes longer than one. Only a clock that was set back in between could repeat an epoch that nobody remembers;
 * a node that still does is told by `above`.
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
  // Every entry is asked, and nearly none of them does.
  if (operation !== "erase-payload") return undefined;
  const position = events.find(({ type }) => type === "payload.erased")?.data["position"];
  return typeof position === "number" ? position : undefined;
}
