/**
 * Executes a journal again and verifies its history.
 *
 * - The chain alone reveals damage, but not an attacker that computes it again.
 * - Every entry that this build can decide is therefore decided again, on the state that all entries before it lead to. The
 *   result must be the same, byte for byte.
 * - Recorded hashes of the state are compared with the hashes of the state found here.
 * - An entry that cannot be decided again is only folded, and is counted separately. The counts limit the meaning of "ok".
 *
 * The verification processes one batch after another, stops at the first bad entry, and never changes anything.
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
import { recheckEvidence } from "./recheck-evidence.ts";
import type { MakeEvidence } from "./recheck-evidence.ts";
import { redecide } from "./redecide.ts";
import { type ErasedPosition, ErasureAudit } from "./erasure-audit.ts";
import { HashAudit, type RecordedHash } from "./hash-audit.ts";
import { KeySet } from "./key-set.ts";

export interface VerificationOptions {
  readonly createMachine: () => Machine;
  /** True if this build can decide an entry again: it has the entry's rules, and every kind that took part in it. */
  readonly canRedecide: (entry: Entry) => boolean;
  readonly recordedHash: RecordedHash;
  readonly erasedPosition: ErasedPosition;
  /**
   * True if the state misses data that was erased later. The original state had it until a later entry replaced it.
   * With an entry, true if its decision may have depended on such data. Such an entry cannot be decided again.
   */
  readonly missesErasedData: (state: StateReader, entry?: Entry) => boolean;
  /** Runs the checks of recorded commands again. Undefined: their evidence is trusted. */
  readonly makeEvidence?: MakeEvidence | undefined;
  /** A head that was saved earlier. It must be in this history. */
  readonly expected?: Pick<Head, "position" | "hash"> | undefined;
}

export interface VerificationResult {
  readonly ok: boolean;
  /** The end of the last batch that was verified as a whole. */
  readonly head: Head;
  readonly entries: number;
  readonly redecided: number;
  readonly foldedOnly: number;
  readonly erased: number;
  /** Number of entries whose check ran again and made the same evidence. */
  readonly rechecked: number;
  /** Number of recorded hashes of the state that were compared. */
  readonly hashesChecked: number;
  /** Number of recorded hashes that cannot be compared, because data of their state was erased later. */
  readonly hashesSkipped: number;
  /** The hash of the final state. */
  readonly stateHash: string;
  readonly firstBad: BadEntry | undefined;
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
  #rechecked = 0;
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

  /** Verifies the next batch. Returns false once a bad entry was found. */
  take(stored: StoredBatch): boolean {
    try {
      this.#bad ??= this.#takeBatch(stored);
    } catch (error) {
      this.damaged(error);
    }
    return this.#bad === undefined;
  }

  /** Records an error of the store. It throws any error that is not damage. */
  damaged(error: unknown): void {
    if (!(error instanceof JournalError) || error.code !== "damaged") throw error;
    const position = error.position ?? this.#head.position + 1;
    this.#bad ??= { position, what: "damage", expected: "the stored batch", found: error.message };
  }

  /** Completes the verification after the last batch. */
  finish(): VerificationResult {
    this.#bad ??= this.#erasures.unconfirmed() ?? this.#missingTail();
    const { erasedCount: erased } = this.#erasures;
    return {
      ok: this.#bad === undefined,
      head: this.#head,
      entries: this.#redecided + this.#foldedOnly + erased,
      redecided: this.#redecided,
      foldedOnly: this.#foldedOnly,
      rechecked: this.#rechecked,
      erased,
      hashesChecked: this.#hashes.checkedCount,
      hashesSkipped: this.#hashes.skippedCount,
      stateHash: this.#hashes.now(),
      firstBad: this.#bad,
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
    const isDecidable = this.#machine.knowsRules(entry.rules) && this.#options.canRedecide(entry);
    const verdict = isDecidable ? (this.#recheck(entry) ?? redecide(this.#machine, entry)) : "unknown";
    if (verdict === "same") {
      this.#redecided += 1;
      return undefined;
    }
    if (verdict !== "unknown" && !this.#options.missesErasedData(this.#machine.durable, entry)) return verdict;
    this.#foldedOnly += 1;
    return this.#fold(entry);
  }

  #recheck(entry: Entry): BadEntry | undefined {
    const { makeEvidence } = this.#options;
    if (makeEvidence === undefined) return undefined;
    const verdict = recheckEvidence(this.#machine, entry, makeEvidence);
    if (verdict === "same") this.#rechecked += 1;
    return verdict === "same" || verdict === "unknown" ? undefined : verdict;
  }

  #fold(entry: Entry): BadEntry | undefined {
    try {
      this.#machine.fold(entry);
      return undefined;
    } catch (error) {
      if (error instanceof UnknownHistoryError) throw error;
      return badEntry(entry, "fold", "events that can be folded", String(error));
    }
  }

  /** Finds a key that is used twice. A second use is answered from the first entry and leaves no entry. */
  #repeatedKey(entry: Entry): BadEntry | undefined {
    const scope = keyScope(entry);
    if (scope === undefined || this.#keys.add(scope)) return undefined;
    return badEntry(entry, "key", "a key that no earlier entry used", scope);
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

/** The text form of a head: `1234:9f86d0…`. */
export function headText({ position, hash }: Pick<Head, "position" | "hash">): string {
  return `${position}:${hash}`;
}

function isSameHead(a: Pick<Head, "position" | "hash">, b: Pick<Head, "position" | "hash">): boolean {
  return a.position === b.position && a.hash === b.hash;
}
