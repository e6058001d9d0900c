import { JournalError } from "../journal/journal.ts";
import type { Head, Journal } from "../journal/journal.ts";
import { keyScope } from "../machine/entry.ts";
import type { Entry } from "../machine/entry.ts";
import type { PendingCommand } from "./command-queue.ts";
import type { RecentEntries } from "./recent-entries.ts";

export interface KeyedEntries {
  /** For each key in the batch the entry that used it before, if one did. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Keys that were used by an entry which can't be read. Whoever sends one of them must not run, and nobody else suffers. */
  readonly unreadable: ReadonlyMap<string, UnreadableEntry>;
  /** Keys that were not looked up but in memory: the append has to prove that nobody has used them. */
  readonly unproven: readonly string[];
}

/** An entry that is there and can't be read: its segment was moved away, or it is damaged. */
export interface UnreadableEntry {
  readonly position: number;
  readonly error: JournalError;
}

export interface KeyedEntrySource {
  readonly journal: Journal;
  readonly recent: RecentEntries;
  readonly head: Head;
  /** True if every key must be looked up, since an append found one of them. */
  readonly mustQuery: boolean;
}

interface KeyUse {
  readonly scope: string;
  readonly position: number;
}

interface KeyLookup {
  readonly entries: Map<string, Entry>;
  readonly unreadable: Map<string, UnreadableEntry>;
}

const none: KeyedEntries = { entries: new Map(), unreadable: new Map(), unproven: [] };

/**
 * Looks for entries that used the keys of a batch before. Asking a distant journal would cost as much as the append; so what
 * this node remembers is believed, and the append itself looks for the rest.
 */
export async function findKeyedEntries(
  waiting: readonly PendingCommand[],
  source: KeyedEntrySource,
): Promise<KeyedEntries> {
  const used = new Set<string>();
  for (const { scope } of waiting) if (scope !== undefined) used.add(scope);
  if (used.size === 0) return none;
  const scopes = [...used];
  const recalled = source.mustQuery ? undefined : source.journal.coordination?.findKeysInMemory(scopes, source.head);
  const positions = recalled ?? (await source.journal.findKeys(scopes));
  const unproven = recalled === undefined ? [] : scopes.filter((_, index) => positions[index] === undefined);
  return { ...(await entriesAt(scopes, positions, source)), unproven };
}

async function entriesAt(
  scopes: readonly string[],
  positions: readonly (number | undefined)[],
  source: KeyedEntrySource,
): Promise<KeyLookup> {
  const found: KeyLookup = { entries: new Map(), unreadable: new Map() };
  const distant: KeyUse[] = [];
  for (const [index, scope] of scopes.entries()) {
    const position = positions[index];
    if (position === undefined) continue;
    const recent = source.recent.at(position);
    // An entry of a history that was lost, which this node did not notice yet, may stand at the same position.
    if (recent === undefined || keyScope(recent) !== scope) distant.push({ scope, position });
    else found.entries.set(scope, recent);
  }
  if (distant.length > 0) await readInto(found, distant, source.journal);
  return found;
}

/** Reads all at once; where that fails for one of them it is looked for by halves, so that a few more reads find it. */
async function readInto(found: KeyLookup, used: readonly KeyUse[], journal: Journal): Promise<void> {
  const read = await readFound(
    journal,
    used.map(({ position }) => position),
  );
  if (!(read instanceof JournalError)) {
    for (const [index, { scope }] of used.entries()) {
      const entry = read[index];
      if (entry !== undefined) found.entries.set(scope, entry);
    }
    return;
  }
  const [first] = used;
  if (used.length === 1 && first !== undefined) {
    found.unreadable.set(first.scope, { position: first.position, error: read });
    return;
  }
  const half = used.length >>> 1;
  await readInto(found, used.slice(0, half), journal);
  await readInto(found, used.slice(half), journal);
}

/**
 * Returns the error if it is the entries' own, and will be the same the next time; any other is the journal's, and thrown.
 *
 * What was found a moment ago is gone if the journal went back in between. That is no fault of the commands, as the
 * journal's "invalid" would say: they must wait until this node has noticed.
 */
async function readFound(journal: Journal, positions: readonly number[]): Promise<readonly Entry[] | JournalError> {
  try {
    return await journal.readAt(positions);
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    if (error.code === "archived" || error.code === "damaged") return error;
    if (error.code !== "invalid") throw error;
    throw new JournalError("io", `the journal went back: ${error.message}`, { certain: false, cause: error });
  }
}

/** True if somebody else used a key at a position that is not folded here. */
export function isAheadOf(priors: KeyedEntries, head: Head): boolean {
  return [...priors.entries.values()].some(({ position }) => position > head.position);
}
