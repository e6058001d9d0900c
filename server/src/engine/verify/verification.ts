/**
 * Executes a journal again and says whether it is what it claims to be.
 *
 * The chain alone shows damage; it does not show a forger who computes it again. So every entry that this build can
 * decide is decided again, on the state that all entries before it lead to, and must come out the same byte for byte;
 * hashes of the state that were recorded on the way are compared with the state found here. An entry that can't be
 * decided again is folded only, and counted as such: "sound" never means more than the counts say.
 *
 * It looks at one batch after another, stops at the first bad entry, and never changes anything.
 */
import type { Head } from "../../journal/journal.ts";
import { JournalError } from "../../journal/journal.ts";
import { genesis } from "../../journal/seal.ts";
import { headOf, unseal } from "../../journal/unseal.ts";
import type { StoredBatch } from "../../journal/unseal.ts";
import { type Entry, keyScope } from "../../machine/entry.ts";
import { type Machine, UnknownHistoryError } from "../../machine/machine.ts";
import type { StateReader } from "../../machine/state.ts";
import { type BadEntry, badEntry } from "./bad-entry.ts";
import { redecide } from "./redecide.ts";
import { type ErasedPosition, ErasureAudit } from "./erasure-audit.ts";
import { HashAudit, type RecordedHash } from "./hash-audit.ts";
import { KeySet } from "./key-set.ts";

export interface VerificationOptions {
  readonly createMachine: () => Machine;
  /** Whether this build can decide an entry again: it carries its rules, and every kind that had a say in it. */
  readonly carries: (entry: Entry) => boolean;
  readonly recordedHash: RecordedHash;
  readonly erasedPosition: ErasedPosition;
  /**
   * Whether the state lacks what was erased since: data that it had when history was made, until something replaced it.
   * With an entry: whether that one may have been decided on it. Nobody can decide such an entry again.
   */
  readonly lacks: (state: StateReader, entry?: Entry) => boolean;
  /** A head that was noted down before: it must be in this history. */
  readonly expected?: Pick<Head, "position" | "hash">;
}

export interface VerificationResult {
  readonly ok: boolean;
  /** The end of the last batch that was looked at as a whole. */
  readonly head: Head;
  readonly entries: number;
  readonly redecided: number;
  readonly foldedOnly: number;
  readonly erased: number;
  /** Recorded hashes of the state that were compared. */
  readonly hashesChecked: number;
  /** Recorded hashes that can't be compared any more, because something that they cover was erased since. */
  readonly hashesSkipped: number;
  /** The hash of the state that everything leads to. */
  readonly stateHash: string;
  readonly firstBad?: BadEntry;
}

export class Verification {
  readonly #options: VerificationOptions;
  readonly #machine: Machine;
  readonly #erasures: ErasureAudit;
  readonly #hashes: HashAudit;
  readonly #keys = new KeySet();
  #head: Head = genesis;
  #time = 0;
  #redecided = 0;
  #foldedOnly = 0;
  #bad: BadEntry | undefined;
  #isExpectedSeen: boolean;

  constructor(options: VerificationOptions) {
    this.#options = options;
    this.#machine = options.createMachine();
    this.#erasures = new ErasureAudit(options.erasedPosition);
    this.#hashes = new HashAudit(this.#machine, options);
    this.#isExpectedSeen = options.expected === undefined || isSameHead(options.expected, genesis);
  }

  get position(): number {
    return this.#head.position;
  }

  /** Looks at the next batch. False once something bad was found: there is no use in going on. */
  take(stored: StoredBatch): boolean {
    try {
      this.#bad ??= this.#takeBatch(stored);
    } catch (error) {
      this.damaged(error);
    }
    return this.#bad === undefined;
  }

  /** The store itself could not give the next batch. What is no damage is thrown on. */
  damaged(error: unknown): void {
    if (!(error instanceof JournalError) || error.code !== "damaged") throw error;
    const position = error.position ?? this.#head.position + 1;
    this.#bad ??= { position, what: "damage", expected: "what was written", found: error.message };
  }

  /** There is no batch after the last one. */
  finish(): VerificationResult {
    this.#bad ??= this.#erasures.unconfirmed() ?? this.#missingTail();
    const { erasedCount: erased } = this.#erasures;
    return {
      ok: this.#bad === undefined,
      head: this.#head,
      entries: this.#redecided + this.#foldedOnly + erased,
      redecided: this.#redecided,
      foldedOnly: this.#foldedOnly,
      erased,
      hashesChecked: this.#hashes.checkedCount,
      hashesSkipped: this.#hashes.skippedCount,
      stateHash: this.#hashes.now(),
      ...(this.#bad === undefined ? {} : { firstBad: this.#bad }),
    };
  }

  #takeBatch(stored: StoredBatch): BadEntry | undefined {
    const next = this.#head.position + 1;
    if (stored.first !== next) {
      return { position: next, what: "chain", expected: `an entry ${next}`, found: `entry ${stored.first}` };
    }
    const batch = unseal(stored, this.#head.hash);
    for (let position = batch.first; position <= batch.last; position += 1) {
      const bad = this.#takeEntry(batch.entry(position));
      if (bad !== undefined) return bad;
    }
    this.#head = headOf(stored);
    return this.#compareExpected();
  }

  #takeEntry(entry: Entry): BadEntry | undefined {
    if (entry.time < this.#time) return badEntry(entry, "time", `${this.#time} or later`, String(entry.time));
    this.#time = entry.time;
    const bad = this.#repeatedKey(entry) ?? this.#execute(entry) ?? this.#erasures.confirm(entry);
    return bad ?? this.#hashes.after(entry);
  }

  #execute(entry: Entry): BadEntry | undefined {
    if (entry.erased !== undefined) return this.#erasures.note(entry) ?? this.#fold(entry);
    const isCarried = this.#machine.knowsRules(entry.rules) && this.#options.carries(entry);
    const verdict = isCarried ? redecide(this.#machine, entry) : "unknown";
    if (verdict === "same") {
      this.#redecided += 1;
      return undefined;
    }
    if (verdict !== "unknown" && !this.#options.lacks(this.#machine.durable, entry)) return verdict;
    this.#foldedOnly += 1;
    return this.#fold(entry);
  }

  #fold(entry: Entry): BadEntry | undefined {
    try {
      this.#machine.fold(entry);
      return undefined;
    } catch (error) {
      if (error instanceof UnknownHistoryError) throw error;
      return badEntry(entry, "fold", "events that fit the state", String(error));
    }
  }

  /** A key runs once: its second use is answered from the first and leaves no entry. */
  #repeatedKey(entry: Entry): BadEntry | undefined {
    const scope = keyScope(entry);
    if (scope === undefined || this.#keys.add(scope)) return undefined;
    return badEntry(entry, "key", "a key that was not used before", scope);
  }

  #compareExpected(): BadEntry | undefined {
    const { expected } = this.#options;
    if (expected === undefined || this.#isExpectedSeen || this.#head.position < expected.position) return undefined;
    this.#isExpectedSeen = true;
    if (isSameHead(expected, this.#head)) return undefined;
    return {
      position: expected.position,
      what: "history",
      expected: headText(expected),
      found: headText(this.#head),
    };
  }

  #missingTail(): BadEntry | undefined {
    const { expected } = this.#options;
    if (expected === undefined || this.#isExpectedSeen) return undefined;
    const position = this.#head.position + 1;
    return { position, what: "tail", expected: headText(expected), found: `nothing after ${headText(this.#head)}` };
  }
}

/** A head as people note it down: `1234:9f86d0…`. */
export function headText({ position, hash }: Pick<Head, "position" | "hash">): string {
  return `${position}:${hash}`;
}

function isSameHead(one: Pick<Head, "position" | "hash">, other: Pick<Head, "position" | "hash">): boolean {
  return one.position === other.position && one.hash === other.hash;
}
