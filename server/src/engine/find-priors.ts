import { JournalError } from "../journal/journal.ts";
import type { Head, Journal } from "../journal/journal.ts";
import { keyScope } from "../machine/entry.ts";
import type { Entry } from "../machine/entry.ts";
import type { Waiting } from "./command-queue.ts";
import type { RecentEntries } from "./recent-entries.ts";

/** For each key in the batch the entry that used it before, if one did. */
export async function findPriors(
  waiting: readonly Waiting[],
  source: { readonly journal: Journal; readonly recent: RecentEntries },
): Promise<ReadonlyMap<string, Entry>> {
  const priors = new Map<string, Entry>();
  const used = new Set<string>();
  for (const { scope } of waiting) if (scope !== undefined) used.add(scope);
  if (used.size === 0) return priors;
  const scopes = [...used];
  const positions = await source.journal.findKeys(scopes);
  const distant: { scope: string; position: number }[] = [];
  for (const [index, scope] of scopes.entries()) {
    const position = positions[index];
    if (position === undefined) continue;
    const recent = source.recent.at(position);
    // An entry of a history that was lost, which this node did not notice yet, may stand at the same position.
    if (recent === undefined || keyScope(recent) !== scope) distant.push({ scope, position });
    else priors.set(scope, recent);
  }
  const read = await readFound(
    source.journal,
    distant.map(({ position }) => position),
  );
  for (const [index, { scope }] of distant.entries()) {
    const entry = read[index];
    if (entry !== undefined) priors.set(scope, entry);
  }
  return priors;
}

/**
 * What was found a moment ago is gone if the journal went back in between. That is no fault of the commands, as the
 * journal's "invalid" would say: they must wait until this node has noticed.
 */
async function readFound(journal: Journal, positions: readonly number[]): Promise<readonly Entry[]> {
  try {
    return await journal.readAt(positions);
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== "invalid") throw error;
    throw new JournalError("io", `the journal went back: ${error.message}`, { certain: false, cause: error });
  }
}

/** True if somebody else used a key at a position that is not folded here. */
export function isAhead(priors: ReadonlyMap<string, Entry>, head: Head): boolean {
  return [...priors.values()].some(({ position }) => position > head.position);
}
