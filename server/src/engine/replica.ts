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

/** Notified at relevant positions of the replica. During the call, the state is exactly that of the position. */
export interface ReplicaListener {
  /** The replica restarted, from a checkpoint or from the empty state. */
  started(from: CheckpointHeader | undefined): void;
  /** The replica is at a position at which the state is hashed. */
  atHash(position: number): void;
  /** The replica is at the end of a batch. */
  atHead(head: Head): void;
  /** The replica folded an entry. */
  folded(entry: Entry): void;
}

type OnFolded = (entries: readonly Entry[]) => void;

interface ReplicaOptions {
  readonly journal: Journal;
  readonly createMachine: () => Machine;
  readonly clock: Clock;
  readonly erasures: ErasureLookup;
  readonly report: (message: string, cause: unknown) => void;
}

/**
 * This node's fold of the journal: the machine, and the head up to which it is folded. The replica only moves from one
 * durable head to a later one, or restarts from a checkpoint.
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

  /** Folds the entries of other nodes. "diverged" means that the journal does not hold the folded history. */
  async follow(onFolded: OnFolded): Promise<"current" | "diverged"> {
    const { journal } = this.#options;
    for (;;) {
      const followed = await journal.follow(this.#head, page);
      if (followed.kind === "diverged") return "diverged";
      this.foldPage(followed, onFolded);
      if (followed.entries.length === 0 || followed.isLast === true) return "current";
    }
  }

  /** Folds a page. It must follow the head of the replica. */
  foldPage({ entries, head }: FollowedPage, onFolded: OnFolded): void {
    if (entries.length === 0) return;
    for (const entry of entries) this.#fold(entry);
    this.#advance(head, entries, page.bytes / 4);
    onFolded(entries);
  }

  /** Settles the decisions of the machine, after their batch became durable. */
  accept(batch: SealedBatch): void {
    this.#machine.settle();
    for (const entry of batch.entries) this.#on.folded(entry);
    if (this.#isHashed(batch.head.position)) this.#on.atHash(batch.head.position);
    this.#advance(batch.head, batch.entries, batch.lines.length);
  }

  /** Drops the state, and restarts from the newest valid checkpoint or from the empty state. */
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

  /** A batch always ends at such a position, so the machine is exactly there once. */
  #isHashed(position: number): boolean {
    return position % this.#machine.settings.stateHashEvery === 0;
  }

  #advance(head: Head, entries: readonly Entry[], bytes: number): void {
    const [first] = entries;
    // Otherwise subscribers would get an entry twice or never, without any error.
    if (first !== undefined && first.position !== this.#head.position + 1) {
      throw new Error(`entry ${first.position} does not follow the folded head ${this.#head.position}`);
    }
    this.#head = head;
    this.time.lift(head.time);
    this.recent.push(entries, bytes);
    this.#redactErased(entries);
    this.#on.atHead(head);
  }

  /** Redacts erased entries in memory. Readers of this node do not get the payload, even before it is removed from the journal. */
  #redactErased(entries: readonly Entry[]): void {
    const { erasedPosition } = this.#options.erasures;
    for (const entry of entries) {
      const position = erasedPosition(entry);
      const erased = position === undefined ? undefined : this.recent.at(position);
      if (erased !== undefined) this.recent.put(this.withoutErased(erased));
    }
  }

  /** Redacts an entry of the journal if its erasure is durable. The journal may still hold the payload. */
  withoutErased(entry: Entry): Entry {
    if (entry.erased !== undefined) return entry;
    const by = this.#options.erasures.erasedBy(this.#machine.durable, entry.position);
    return by === undefined ? entry : erasedEntry(entry, by);
  }

  /** Reads entries after a position and redacts erased ones. See Journal. */
  async read(after: number, limit: PageLimit): Promise<readonly Entry[]> {
    const entries = await this.#options.journal.read(after, limit);
    return entries.map((entry) => this.withoutErased(entry));
  }

  async readAt(positions: readonly number[]): Promise<readonly Entry[]> {
    const entries = await this.#options.journal.readAt(positions);
    return entries.map((entry) => this.withoutErased(entry));
  }
}
