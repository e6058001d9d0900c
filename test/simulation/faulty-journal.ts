/**
 * A journal with every fault that the port allows:
 * - appends that fail for certain, or with an unknown outcome
 * - batches that land after all nodes have read
 * - slow answers, failing reads and lost wakes
 * - turns that other nodes have, and turns that are lost during a pause
 * - keys that only the store knows
 */
import type { CheckpointStore } from "../../server/src/journal/checkpoint.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import type { AppendResult, Journal, NodeCoordination } from "../../server/src/journal/journal.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";
import { singleNode } from "../engine/staged-journal.ts";
import { KeyMemory } from "./key-memory.ts";
import { outside } from "./virtual-time.ts";
import type { World } from "./world.ts";

/** The callbacks of a journal to the simulation about its process. */
export interface JournalWatcher {
  readonly owner: string;
  /** The process submits a batch that it has just decided. */
  appending(batch: SealedBatch): void;
  /** A batch became durable. */
  written(batch: SealedBatch): void;
  /** An operation that every decision depends on has this duration, or failed. */
  needed(took: { readonly ms: number; readonly failed: boolean }): void;
  crash(): void;
}

/** An append that has not reached the disk yet. */
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
  /** The journal as an engine uses it. Calls without faults go directly to the disk. */
  readonly port: Journal;
  readonly #world: World;
  readonly #inner: Journal;
  readonly #write: (batch: SealedBatch) => AppendResult;
  readonly #watcher: JournalWatcher;
  readonly #flights = new Set<Flight>();
  readonly #isUsed: (scope: string) => boolean;
  readonly #memory = new KeyMemory();
  #turnRequest: symbol | undefined;
  #knownForkReason: string | undefined;
  readonly #listeners = new Set<() => void>();

  /**
   * `write` puts a batch on the disk synchronously, because a promise would hide the moment at which it is durable.
   * `isUsed` checks the keys on the disk.
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
    Object.defineProperty(this.port, "forkReason", { enumerable: true, get: () => this.#noticeFork() });
    this.#write = parts.write;
    this.#isUsed = parts.isUsed;
    this.#watcher = parts.watcher;
  }

  /** The caller knows from here on that the journal is a fork. */
  #noticeFork(): string | undefined {
    this.#knownForkReason = this.#world.forkReason;
    return this.#knownForkReason;
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
        if (this.#world.forkReason === this.#knownForkReason) this.#world.forkReason = undefined;
      },
      onWake: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
    };
  }

  /** Without faults, but counted: a campaign that never starts from a checkpoint proves nothing about checkpoints. */
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
        if (this.#world.occurs("keys are forgotten")) this.#memory.clear();
        return this.#memory.recall(scopes, at);
      },
      rank: () => 0,
      ...singleNode,
    };
  }

  /** A request that was withdrawn neither gets the turn nor needs it. */
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
            else turns.enqueue(this.#watcher.owner, resolve);
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
      world.faults.count("append is refused permanently");
      return Promise.reject(new JournalError("invalid", "The batch cannot be stored.", { certain: true }));
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

  /** Another node may have appended. */
  wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** The process is gone. Batches that it had sent may still arrive. */
  abandon(): void {
    for (const flight of this.#flights) {
      if (!this.#world.occurs("append of a crashed node lands later")) continue;
      this.#landLater(flight);
    }
    this.#flights.clear();
    this.#listeners.clear();
    this.#world.turns.leave(this.#watcher.owner);
  }

  /** Transfers a batch to the disk, and the answer back. */
  async #deliver(batch: SealedBatch, unproven: readonly string[]): Promise<AppendResult> {
    const world = this.#world;
    const flight = this.#launch(batch, unproven);
    await this.#pass(this.#latency("append"), "a batch travels");
    if (world.occurs("append fails for certain")) {
      this.#flights.delete(flight);
      throw new JournalError("full", "The disk is full.", { certain: true });
    }
    if (world.occurs("crash before the batch is written")) return this.#crash();
    if (world.occurs("append fails, nothing written")) return this.#loseAnswer(flight);
    if (world.occurs("append fails, batch lands later")) {
      this.#landLater(flight);
      return this.#loseAnswer(flight);
    }
    const appended = flight.land() as AppendResult;
    this.#flights.delete(flight);
    if (world.occurs("append fails, batch written")) return this.#loseAnswer(flight);
    if (world.occurs("crash after the batch is written")) return this.#crash();
    await this.#pass(world.random.chance(quickShare) ? 0 : world.random.between(1, 5), "an answer travels");
    return appended;
  }

  #launch(batch: SealedBatch, unproven: readonly string[]): Flight {
    const world = this.#world;
    // A batch is sent to the store that its node knew. If it was in flight before a fork, it cannot land on the forked
    // store.
    const knownForkReason = this.#knownForkReason;
    const flight: Flight = {
      land: () => {
        flight.land = () => undefined;
        // A node that does not know about the fork appends nothing, and neither does a node while another one has the
        // turn.
        const isUnaware = world.forkReason !== undefined && world.forkReason !== knownForkReason;
        const isHeldBack = isUnaware || !world.turns.allows(this.#watcher.owner);
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
    if (world.occurs("read fails")) {
      throw new JournalError("io", "The disk cannot be read.", { certain: world.random.chance(0.5) });
    }
    return work();
  }

  #latency(kind: "append" | "read"): number {
    const world = this.#world;
    if (world.occurs(`${kind} stalls for over a second`)) return world.random.between(1_001, 6_000);
    if (world.occurs(`${kind} is slow`)) return world.random.between(20, 900);
    return world.random.chance(quickShare) ? 0 : world.random.between(1, 5);
  }

  /** Waits, or continues at once. Many immediate calls let a seed progress further. */
  #pass(delayMs: number, label: string): Promise<void> {
    if (delayMs === 0) return Promise.resolve();
    return new Promise((run) => {
      this.#world.time.schedule({ delayMs, owner: this.#watcher.owner, label, run });
    });
  }

  #page<Limit extends { readonly entries: number }>(limit: Limit): Limit {
    return this.#world.occurs("pages are small") ? { ...limit, entries: this.#world.random.between(1, 3) } : limit;
  }
}

/** A value that no journal of this simulation can store. It must not affect the other commands of its batch. */
export const poison = "poison";

function isPoisonous(entry: SealedBatch["entries"][number]): boolean {
  return entry.events.some(({ subject }) => subject.endsWith(`/${poison}`));
}
