import { JournalError } from "../journal/journal.ts";
import type { Head, Journal } from "../journal/journal.ts";
import { keyScope } from "../machine/entry.ts";
import type { Entry } from "../machine/entry.ts";
import type { Waiting } from "./command-queue.ts";
import type { RecentEntries } from "./recent-entries.ts";

export interface Priors {
  /** For each key in the batch the entry that used it before, if one did. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Keys that were not looked up but in memory: the append has to prove that nobody has used them. */
  readonly unproven: readonly string[];
}

export interface PriorSource {
  readonly journal: Journal;
  readonly recent: RecentEntries;
  readonly head: Head;
  /** True if every key must be looked up, since an append found one of them. */
  readonly isThorough: boolean;
}

const none: Priors = { entries: new Map(), unproven: [] };

/**
 * Looks for entries that used the keys of a batch before. Asking a distant journal would cost as much as the append; so what
 * this node remembers is believed, and the append itself looks for the rest.
 */
export async function findPriors(waiting: readonly Waiting[], source: PriorSource): Promise<Priors> {
  const used = new Set<string>();
  for (const { scope } of waiting) if (scope !== undefined) used.add(scope);
  if (used.size === 0) return none;
  const scopes = [...used];
  const recalled = source.isThorough ? undefined : source.journal.sharing?.recallKeys(scopes, source.head);
  const positions = recalled ?? (await source.journal.findKeys(scopes));
  const unproven = recalled === undefined ? [] : scopes.filter((_, index) => positions[index] === undefined);
  return { entries: await entriesAt(scopes, positions, source), unproven };
}

async function entriesAt(
  scopes: readonly string[],
  positions: readonly (number | undefined)[],
  source: PriorSource,
): Promise<ReadonlyMap<string, Entry>> {
  const priors = new Map<string, Entry>();
  const distant: { scope: string; position: number }[] = [];
  for (const [index, scope] of scopes.entries()) {
    const position = positions[index];
    if (position === undefined) continue;
    const recent = source.recent.at(position);
    // An entry of a history that was lost, which this node did not notice yet, may stand at the same position.
    if (recent === undefined || keyScope(recent) !== scope) distant.push({ scope, position });
    else priors.set(scope, recent);
  }
  if (distant.length === 0) return priors;
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
export function isAhead(priors: Priors, head: Head): boolean {
  return [...priors.entries.values()].some(({ position }) => position > head.position);
}
