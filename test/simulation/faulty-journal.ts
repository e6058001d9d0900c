/**
 * A journal on which everything that the port allows really happens: appends that fail for certain, or that nobody
 * knows about, batches that land after everybody looked, slow answers, failing reads, wakes that are lost, turns that
 * others have and that are lost in one's sleep, keys that only the store knows.
 */
import type { CheckpointStore } from "../../server/src/journal/checkpoint.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import type { AppendResult, Journal, NodeCoordination } from "../../server/src/journal/journal.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";
import { singleNode } from "../engine/staged-journal.ts";
import { KeyMemory } from "./key-memory.ts";
import { outside } from "./virtual-time.ts";
import type { World } from "./world.ts";

/** What a journal tells the simulation about its process. */
export interface JournalWatcher {
  readonly owner: string;
  /** The process hands over a batch that it has just decided. */
  appending(batch: SealedBatch): void;
  /** A batch became durable. */
  written(batch: SealedBatch): void;
  /** An operation without which nothing can be decided took this long, or failed. */
  needed(took: { readonly ms: number; readonly failed: boolean }): void;
  crash(): void;
}

/** An append that did not reach the disk yet. */
interface Flight {
  land: () => AppendResult | undefined;
}

type FaultyPart =
  | "checkpoints"
  | "settleFork"
  | "append"
  | "head"
  | "read"
  | "readAt"
  | "findSubject"
  | "findKeys"
  | "follow"
  | "onWake"
  | "coordination";

const quickShare = 0.5;

export class FaultyJournal {
  /** The journal as an engine sees it. What is not made faulty here goes straight to the disk. */
  readonly port: Journal;
  readonly #world: World;
  readonly #inner: Journal;
  readonly #write: (batch: SealedBatch) => AppendResult;
  readonly #watcher: JournalWatcher;
  readonly #flights = new Set<Flight>();
  readonly #isUsed: (scope: string) => boolean;
  readonly #memory = new KeyMemory();
  #turnRequest: symbol | undefined;
  #told: string | undefined;
  readonly #listeners = new Set<() => void>();

  /**
   * `write` puts a batch on the disk in one go: the moment at which it is durable must not be a promise. `isUsed` looks at
   * the keys on the disk.
   */
  constructor(
    world: World,
    parts: {
      readonly inner: Journal;
      readonly write: (batch: SealedBatch) => AppendResult;
      readonly isUsed: (scope: string) => boolean;
      readonly watcher: JournalWatcher;
    },
  ) {
    this.#world = world;
    this.#inner = parts.inner;
    this.port = { ...parts.inner, ...this.#faultyParts() };
    Object.defineProperty(this.port, "forkReason", { enumerable: true, get: () => this.#tell() });
    this.#write = parts.write;
    this.#isUsed = parts.isUsed;
    this.#watcher = parts.watcher;
  }

  /** Whoever asks knows from now on that the journal is another one than before. */
  #tell(): string | undefined {
    this.#told = this.#world.forkReason;
    return this.#told;
  }

  #faultyParts(): Pick<Journal, FaultyPart> {
    const inner = this.#inner;
    return {
      checkpoints: this.#countedCheckpoints(),
      append: (batch, unproven = []) => this.#append(batch, unproven),
      head: () => this.#read(() => inner.head()),
      read: (after, limit) => this.#read(() => inner.read(after, this.#page(limit))),
      readAt: (positions) => this.#read(() => inner.readAt(positions)),
      findSubject: (query) => this.#read(() => inner.findSubject(query)),
      findKeys: (scopes) => this.#needed(() => inner.findKeys(scopes)),
      follow: (after, limit) =>
        this.#needed(async () => {
          const followed = await inner.follow(after, this.#page(limit));
          this.#memory.noteFollowed(followed, after);
          return followed;
        }),
      coordination: this.#sharing(),
      settleFork: async () => {
        if (this.#world.forkReason === this.#told) this.#world.forkReason = undefined;
      },
      onWake: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
    };
  }

  /** Not faulty, but counted: a campaign that never starts from saved state proves nothing about it. */
  #countedCheckpoints(): CheckpointStore {
    const store = this.#inner.checkpoints;
    const { faults } = this.#world;
    return {
      list: () => store.list(),
      rows: (facts) => {
        faults.count("start from a checkpoint");
        return store.rows(facts);
      },
      begin: async (base) => {
        const draft = await store.begin(base);
        if (draft !== undefined) faults.count("checkpoint is saved");
        return draft;
      },
      clear: () => store.clear(),
    };
  }

  #sharing(): NodeCoordination {
    const { turns } = this.#world;
    return {
      takeTurn: () => this.#takeTurn(),
      endTurn: async () => {
        this.#turnRequest = undefined;
        turns.leave(this.#watcher.owner);
      },
      findKeysInMemory: (scopes, at) => {
        if (this.#world.strikes("keys are forgotten")) this.#memory.clear();
        return this.#memory.recall(scopes, at);
      },
      rank: () => 0,
      ...singleNode,
    };
  }

  /** Who does not wait for it any longer neither gets it nor needs it. */
  async #takeTurn(): Promise<void> {
    const { time, turns, faults } = this.#world;
    const request = Symbol("turn");
    this.#turnRequest = request;
    const startMs = time.nowMs;
    let failed = true;
    try {
      await this.#read(
        () =>
          new Promise<void>((resolve, reject) => {
            if (this.#turnRequest !== request) reject(new JournalError("busy", "It is too late.", { certain: true }));
            else turns.ask(this.#watcher.owner, resolve);
          }),
      );
      faults.count("turn is taken");
      failed = false;
    } finally {
      if (this.#turnRequest === request) this.#watcher.needed({ ms: time.nowMs - startMs, failed });
    }
  }

  #append(batch: SealedBatch, unproven: readonly string[]): Promise<AppendResult> {
    const world = this.#world;
    this.#watcher.appending(batch);
    if (batch.entries.some(isPoisonous)) {
      world.faults.count("append refused for good");
      return Promise.reject(new JournalError("invalid", "This can not be stored.", { certain: true }));
    }
    const startMs = world.time.nowMs;
    return this.#deliver(batch, unproven).then(
      (appended) => {
        this.#memory.noteAppended(appended, batch);
        if (appended.kind !== "appended") world.faults.count(`append is ${appended.kind}`);
        this.#watcher.needed({ ms: world.time.nowMs - startMs, failed: false });
        return appended;
      },
      (error: unknown) => {
        this.#watcher.needed({ ms: world.time.nowMs - startMs, failed: true });
        throw error;
      },
    );
  }

  /** Somebody else may have appended. */
  wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** The process is gone. What it had sent may still arrive. */
  abandon(): void {
    for (const flight of this.#flights) {
      if (!this.#world.strikes("append of a crashed node lands later")) continue;
      this.#landLater(flight);
    }
    this.#flights.clear();
    this.#listeners.clear();
    this.#world.turns.leave(this.#watcher.owner);
  }

  /** The way of a batch to the disk, and of the answer back. */
  async #deliver(batch: SealedBatch, unproven: readonly string[]): Promise<AppendResult> {
    const world = this.#world;
    const flight = this.#launch(batch, unproven);
    await this.#pass(this.#latency("append"), "a batch travels");
    if (world.strikes("append fails for certain")) {
      this.#flights.delete(flight);
      throw new JournalError("full", "The disk is full.", { certain: true });
    }
    if (world.strikes("crash before the batch is written")) return this.#crash();
    if (world.strikes("append fails, nothing written")) return this.#loseAnswer(flight);
    if (world.strikes("append fails, batch lands later")) {
      this.#landLater(flight);
      return this.#loseAnswer(flight);
    }
    const appended = flight.land() as AppendResult;
    this.#flights.delete(flight);
    if (world.strikes("append fails, batch written")) return this.#loseAnswer(flight);
    if (world.strikes("crash after the batch is written")) return this.#crash();
    await this.#pass(world.random.chance(quickShare) ? 0 : world.random.between(1, 5), "an answer travels");
    return appended;
  }

  #launch(batch: SealedBatch, unproven: readonly string[]): Flight {
    const world = this.#world;
    // A batch travels to the store that its node knew: one that was under way before cannot land on another one.
    const told = this.#told;
    const flight: Flight = {
      land: () => {
        flight.land = () => undefined;
        // Nothing is appended by a node that does not know that the journal is another one, or while others have the turn.
        const isUntold = world.forkReason !== undefined && world.forkReason !== told;
        const isHeldBack = isUntold || !world.turns.allows(this.#watcher.owner);
        const appended: AppendResult = isHeldBack ? { kind: "behind" } : this.#writeIfUnused(batch, unproven);
        if (appended.kind === "appended") this.#watcher.written(batch);
        return appended;
      },
    };
    this.#flights.add(flight);
    return flight;
  }

  #writeIfUnused(batch: SealedBatch, unproven: readonly string[]): AppendResult {
    return unproven.some((scope) => this.#isUsed(scope)) ? { kind: "used" } : this.#write(batch);
  }

  #landLater(flight: Flight): void {
    const world = this.#world;
    const land = (): void => {
      const appended = flight.land();
      if (appended !== undefined)
        world.faults.count(`orphan was ${appended.kind === "appended" ? "accepted" : "refused"}`);
    };
    world.time.schedule({
      delayMs: world.random.between(1, 3_000),
      owner: outside,
      label: "an orphan lands",
      run: land,
    });
  }

  #loseAnswer(flight: Flight): never {
    this.#flights.delete(flight);
    throw new JournalError("io", "The disk did not answer.", { certain: false });
  }

  #crash(): Promise<never> {
    this.#watcher.crash();
    return new Promise(() => {});
  }

  async #needed<Result>(work: () => Promise<Result>): Promise<Result> {
    const startMs = this.#world.time.nowMs;
    let failed = true;
    try {
      const result = await this.#read(work);
      failed = false;
      return result;
    } finally {
      this.#watcher.needed({ ms: this.#world.time.nowMs - startMs, failed });
    }
  }

  async #read<Result>(work: () => Promise<Result>): Promise<Result> {
    const world = this.#world;
    await this.#pass(this.#latency("read"), "a read travels");
    if (world.strikes("read fails")) {
      throw new JournalError("io", "The disk can not be read.", { certain: world.random.chance(0.5) });
    }
    return work();
  }

  #latency(kind: "append" | "read"): number {
    const world = this.#world;
    if (world.strikes(`${kind} stalls for over a second`)) return world.random.between(1_001, 6_000);
    if (world.strikes(`${kind} is slow`)) return world.random.between(20, 900);
    return world.random.chance(quickShare) ? 0 : world.random.between(1, 5);
  }

  /** Waits, or goes on at once: many calls that are over at once let a seed get further. */
  #pass(delayMs: number, label: string): Promise<void> {
    if (delayMs === 0) return Promise.resolve();
    return new Promise((run) => {
      this.#world.time.schedule({ delayMs, owner: this.#watcher.owner, label, run });
    });
  }

  #page<Limit extends { readonly entries: number }>(limit: Limit): Limit {
    return this.#world.strikes("pages are small") ? { ...limit, entries: this.#world.random.between(1, 3) } : limit;
  }
}

/** What no journal of this simulation can store: it must not take its neighbours with it. */
export const poison = "poison";

function isPoisonous(entry: SealedBatch["entries"][number]): boolean {
  return entry.events.some(({ subject }) => subject.endsWith(`/${poison}`));
}
