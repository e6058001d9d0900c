import { JournalError } from "../journal/journal.ts";
import type { Head, Journal } from "../journal/journal.ts";
import { keyScope } from "../machine/entry.ts";
import type { Entry } from "../machine/entry.ts";
import type { PendingCommand } from "./command-queue.ts";
import type { RecentEntries } from "./recent-entries.ts";

interface KeyedEntries {
  /** By key scope, the entry that used the key, if there is one. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Keys that an unreadable entry used. Commands with these keys must not run. All other commands are unaffected. */
  readonly unreadable: ReadonlyMap<string, UnreadableEntry>;
  /** Keys that were looked up in memory only. The append has to check that no older entry used them. */
  readonly unproven: readonly string[];
}

/** An entry that exists and cannot be read: its segment file is missing, or it is damaged. */
export interface UnreadableEntry {
  readonly position: number;
  readonly error: JournalError;
}

interface KeyedEntrySource {
  readonly journal: Journal;
  readonly recent: RecentEntries;
  readonly head: Head;
  /** True if every key must be looked up in the journal, because an append found one of them there. */
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
 * Finds the entries that used the keys of a batch. A query to a remote journal would cost as much as the append. The lookup
 * therefore uses the index in memory, and the append itself checks the other keys.
 */
export async function findKeyedEntries(
  pending: readonly PendingCommand[],
  source: KeyedEntrySource,
): Promise<KeyedEntries> {
  // A Set, because two commands of a batch may have the same key.
  const used = new Set<string>();
  for (const { scope, counterpart } of pending) {
    if (scope !== undefined) used.add(scope);
    if (counterpart !== undefined) used.add(counterpart);
  }
  if (used.size === 0) return none;
  const scopes = [...used];
  const inMemory = source.mustQuery ? undefined : source.journal.coordination?.findKeysInMemory(scopes, source.head);
  const positions = inMemory ?? (await source.journal.findKeys(scopes));
  const unproven = inMemory === undefined ? [] : scopes.filter((_, index) => positions[index] === undefined);
  return { ...(await entriesAt(scopes, positions, source)), unproven };
}

async function entriesAt(
  scopes: readonly string[],
  positions: readonly (number | undefined)[],
  source: KeyedEntrySource,
): Promise<KeyLookup> {
  const found: KeyLookup = { entries: new Map(), unreadable: new Map() };
  const older: KeyUse[] = [];
  for (const [index, scope] of scopes.entries()) {
    const position = positions[index];
    if (position === undefined) continue;
    const recent = source.recent.at(position);
    // The entry in memory may be from a lost history, if this node has not detected the loss yet.
    if (recent === undefined || keyScope(recent) !== scope) older.push({ scope, position });
    else found.entries.set(scope, recent);
  }
  if (older.length > 0) await readInto(found, older, source.journal);
  return found;
}

/** Reads all entries at once. If one is unreadable, it bisects the list, so a few more reads find that entry. */
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
 * Returns the error if it concerns the entries themselves and is permanent. Any other error concerns the journal and is
 * thrown.
 *
 * If the journal was rolled back after the lookup, the found entry does not exist. The journal then reports "invalid", but
 * the commands are valid. They must wait until this node has detected the rollback.
 */
async function readFound(journal: Journal, positions: readonly number[]): Promise<readonly Entry[] | JournalError> {
  try {
    return await journal.readAt(positions);
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    if (error.code === "archived" || error.code === "damaged") return error;
    if (error.code !== "invalid") throw error;
    throw new JournalError("io", `the journal was rolled back: ${error.message}`, { certain: false, cause: error });
  }
}

/** True if another node used a key at a position that this node has not folded. */
export function isAheadOf(keyed: KeyedEntries, head: Head): boolean {
  return [...keyed.entries.values()].some(({ position }) => position > head.position);
}
