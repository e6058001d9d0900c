import type { Clock } from "../base/clock.ts";
import type { Head, Journal } from "../journal/journal.ts";
import { genesis } from "../journal/seal.ts";
import type { SealedBatch } from "../journal/seal.ts";
import type { Entry } from "../machine/entry.ts";
import type { Machine } from "../machine/machine.ts";
import { EngineClock } from "./engine-clock.ts";
import { engineLimits } from "./limits.ts";
import { RecentEntries } from "./recent-entries.ts";

const page = { entries: engineLimits.pageEntriesMax, bytes: engineLimits.pageBytesMax };

/**
 * This node's copy of the journal's fold: the machine, and the head up to which it is folded. It only ever moves from
 * one durable head to a later one, or starts again from nothing.
 */
export class Replica {
  readonly recent = new RecentEntries();
  readonly time: EngineClock;
  readonly #journal: Journal;
  readonly #createMachine: () => Machine;
  #machine: Machine;
  #head: Head = genesis;

  constructor(options: { journal: Journal; createMachine: () => Machine; clock: Clock }) {
    this.#journal = options.journal;
    this.#createMachine = options.createMachine;
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
  async follow(onFolded: (entries: readonly Entry[]) => void): Promise<"current" | "diverged"> {
    for (;;) {
      const followed = await this.#journal.follow(this.#head, page);
      if (followed.kind === "diverged") return "diverged";
      if (followed.entries.length === 0) return "current";
      for (const entry of followed.entries) this.#machine.fold(entry);
      this.#advance(followed.head, followed.entries, page.bytes / 4);
      onFolded(followed.entries);
    }
  }

  /** What the machine decided is durable. */
  accept(batch: SealedBatch): void {
    this.#machine.settle();
    this.#advance(batch.head, batch.entries, batch.lines.length);
  }

  /** Forgets everything, to be folded again from the first entry. */
  reset(): void {
    this.#machine = this.#createMachine();
    this.#head = genesis;
    this.recent.clear();
  }

  #advance(head: Head, entries: readonly Entry[], bytes: number): void {
    this.#head = head;
    this.time.lift(head.time);
    this.recent.push(entries, bytes);
  }
}
