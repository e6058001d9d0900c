import type { Clock } from "../base/clock.ts";
import type { CheckpointHeader } from "../journal/checkpoint.ts";
import type { FollowedPage, Head, Journal, PageLimit } from "../journal/journal.ts";
import { genesis } from "../journal/seal.ts";
import type { SealedBatch } from "../journal/seal.ts";
import type { Entry } from "../machine/entry.ts";
import type { Machine } from "../machine/machine.ts";
import { EngineClock } from "./engine-clock.ts";
import { erasedEntry } from "./erased-entry.ts";
import type { ErasureLookup } from "./erasure-executor.ts";
import { engineLimits } from "./limits.ts";
import { loadCheckpoint } from "./load-checkpoint.ts";
import { RecentEntries } from "./recent-entries.ts";

const page = { entries: engineLimits.pageEntriesMax, bytes: engineLimits.pageBytesMax };

/** Who is told when the replica is at a position that matters. The state is then exactly that of this position. */
export interface ReplicaListener {
  /** Started again, from a checkpoint or from nothing. */
  started(from: CheckpointHeader | undefined): void;
  /** A position at which the state is hashed. */
  atHash(position: number): void;
  /** The end of a batch. */
  atHead(head: Head): void;
  /** An entry of the journal was folded. */
  folded(entry: Entry): void;
}

export type OnFolded = (entries: readonly Entry[]) => void;

export interface ReplicaOptions {
  readonly journal: Journal;
  readonly createMachine: () => Machine;
  readonly clock: Clock;
  readonly erasures: ErasureLookup;
  readonly report: (message: string, cause: unknown) => void;
}

/**
 * This node's copy of the journal's fold: the machine, and the head up to which it is folded. It only ever moves from
 * one durable head to a later one, or starts again from a checkpoint.
 */
export class Replica {
  readonly recent = new RecentEntries();
  readonly time: EngineClock;
  readonly #options: ReplicaOptions;
  readonly #on: ReplicaListener;
  #machine: Machine;
  #head: Head = genesis;

  constructor(options: ReplicaOptions, on: ReplicaListener) {
    this.#options = options;
    this.#on = on;
    this.#machine = options.createMachine();
    this.time = new EngineClock(options.clock, 0);
  }

  get machine(): Machine {
    return this.#machine;
  }

  get head(): Head {
    return this.#head;
  }

  /** Folds what others appended. "diverged" means that what is folded here is not in the journal any more. */
  async follow(onFolded: OnFolded): Promise<"current" | "diverged"> {
    const { journal } = this.#options;
    for (;;) {
      const followed = await journal.follow(this.#head, page);
      if (followed.kind === "diverged") return "diverged";
      this.foldPage(followed, onFolded);
      if (followed.entries.length === 0 || followed.isLast === true) return "current";
    }
  }

  /** Folds a page that follows what is folded here. */
  foldPage({ entries, head }: FollowedPage, onFolded: OnFolded): void {
    if (entries.length === 0) return;
    for (const entry of entries) this.#fold(entry);
    this.#advance(head, entries, page.bytes / 4);
    onFolded(entries);
  }

  /** What the machine decided is durable. */
  accept(batch: SealedBatch): void {
    this.#machine.settle();
    for (const entry of batch.entries) this.#on.folded(entry);
    if (this.#isHashed(batch.head.position)) this.#on.atHash(batch.head.position);
    this.#advance(batch.head, batch.entries, batch.lines.length);
  }

  /** Forgets everything, and starts again from the newest checkpoint that is good, else from nothing. */
  async restart(): Promise<void> {
    const { journal, createMachine, report } = this.#options;
    const loaded = await loadCheckpoint(journal.checkpoints, createMachine, report);
    this.#machine = loaded?.machine ?? createMachine();
    this.#head = loaded?.header.head ?? genesis;
    this.time.lift(this.#head.time);
    this.recent.clear();
    this.#on.started(loaded?.header);
  }

  #fold(entry: Entry): void {
    this.#machine.fold(entry);
    this.#on.folded(entry);
    if (this.#isHashed(entry.position)) this.#on.atHash(entry.position);
  }

  /** A batch never reaches beyond such a position, so it is always one that the machine stood at. */
  #isHashed(position: number): boolean {
    return position % this.#machine.settings.stateHashEvery === 0;
  }

  #advance(head: Head, entries: readonly Entry[], bytes: number): void {
    const [first] = entries;
    // Whoever watches would be told something twice, or never, and nobody would notice.
    if (first !== undefined && first.position !== this.#head.position + 1) {
      throw new Error(`entry ${first.position} was folded after ${this.#head.position}, which it does not follow`);
    }
    this.#head = head;
    this.time.lift(head.time);
    this.recent.push(entries, bytes);
    this.#forgetErased(entries);
    this.#on.atHead(head);
  }

  /** Whichever node removes the payload from the journal: nobody is shown it here from now on. */
  #forgetErased(entries: readonly Entry[]): void {
    const { erasedPosition } = this.#options.erasures;
    for (const entry of entries) {
      const position = erasedPosition(entry);
      const erased = position === undefined ? undefined : this.recent.at(position);
      if (erased !== undefined) this.recent.put(this.withoutErased(erased));
    }
  }

  /** An entry of the journal as it may be shown: the payload may still be there although its erasure is durable. */
  withoutErased(entry: Entry): Entry {
    if (entry.erased !== undefined) return entry;
    const by = this.#options.erasures.erasedBy(this.#machine.durable, entry.position);
    return by === undefined ? entry : erasedEntry(entry, by);
  }

  /** Entries after a position, as they may be shown; see Journal. */
  async read(after: number, limit: PageLimit): Promise<readonly Entry[]> {
    const entries = await this.#options.journal.read(after, limit);
    return entries.map((entry) => this.withoutErased(entry));
  }

  async readAt(positions: readonly number[]): Promise<readonly Entry[]> {
    const entries = await this.#options.journal.readAt(positions);
    return entries.map((entry) => this.withoutErased(entry));
  }
}
