import type { JournalFork } from "../../machine/feature.ts";
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
 * The new epoch is at least the number of milliseconds since 1970. That exceeds all of them, because restoring a store
 * and connecting to it takes longer than a millisecond. Only a clock that was set back could repeat an epoch that no
 * node remembers. A node that remembers one passes it as `above`.
 *
 * Tokens of an imported journal end with the same entry. Otherwise the author of the file could use them here.
 */
export function forkCommand(id: string, state: StateReader, fork: JournalFork, time: number): TimerCommand {
  const input = { above: currentEpoch(state), at_least: Math.floor(time), reason: fork.reason };
  return { id, operation: "raise-epoch", input: fork.isImported ? { ...input, revoke_tokens: true } : input };
}
