import type { Entry } from "../../machine/entry.ts";
import type { TimerCommand } from "../../machine/feature.ts";

/** The command by which the engine records the hash of the state. */
export function hashCommand(position: number, hash: string): TimerCommand {
  return { id: `state-hash:${String(position)}`, operation: "record-state-hash", input: { position, hash } };
}

/** The state hash that an entry records. Undefined if the entry records none. */
export function recordedHash(entry: Entry): { readonly position: number; readonly hash: string } | undefined {
  const event = entry.events.find(({ type }) => type === "space.state_hashed");
  if (event === undefined || entry.erased !== undefined) return undefined;
  return { position: event.data["position"] as number, hash: event.data["hash"] as string };
}
