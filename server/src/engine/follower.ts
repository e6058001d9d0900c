import type { FollowedPage } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import type { TimerCommand } from "../machine/feature.ts";
import type { StateReader } from "../machine/state.ts";
import type { CommandQueue, PendingCommand } from "./command-queue.ts";
import type { Replica } from "./replica.ts";
import { replyFromEntry } from "./reply.ts";
import type { EngineCommand } from "./state-hasher.ts";

export interface FollowerListener {
  /** The head moved: entries are durable and folded. */
  moved(): void;
  /** The history that was folded here is gone. Reads wait until `loaded`. */
  lost(): void;
  loaded(): void;
  /** Something that an operator should know. */
  readonly report: (message: string, cause: unknown) => void;
}

/** A journal that may have another future elsewhere. */
export interface EpochChange {
  /** Begins a new epoch, above the one that is folded now. */
  readonly command: () => TimerCommand;
  readonly done: () => void;
}

export interface FollowerOptions {
  readonly replica: Replica;
  readonly queue: CommandQueue;
  /** The command that raises the epoch, made from the state that was lost. */
  readonly afterLoss: (lost: StateReader) => TimerCommand;
  /** What must come first because the journal may have another future elsewhere; undefined if there is nothing new. */
  readonly epochChange: () => EpochChange | undefined;
  readonly on: FollowerListener;
}

/**
 * Catches up with the journal: folds what others appended, and answers those of our own commands that are found there,
 * because the answer to their append was lost. If what is folded here is not in the journal any more, it starts again
 * from the first entry; the epoch must then be raised, so that tokens of the lost history are refused.
 */
export class Follower {
  readonly #options: FollowerOptions;
  #lossCommand: TimerCommand | undefined;
  #fork: EpochChange | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Returns what must be sent before anything else, the first one last. It may throw half-way; call again. */
  async follow(): Promise<readonly EngineCommand[]> {
    const { replica, on } = this.#options;
    this.#fork ??= this.#options.epochChange();
    while ((await replica.follow(this.#onFolded)) === "diverged") {
      this.#lose();
      await replica.restart();
    }
    const first: EngineCommand[] = [];
    if (this.#lossCommand !== undefined) {
      first.push({ command: this.#lossCommand, done: () => undefined });
      on.loaded();
    }
    // Made from what is there now: an epoch that began for a fork that this node has missed is not good for this one.
    if (this.#fork !== undefined) first.push({ command: this.#fork.command(), done: this.#fork.done });
    this.#lossCommand = undefined;
    this.#fork = undefined;
    return first;
  }

  /** What a lost race told. */
  foldMissed(missed: FollowedPage): void {
    this.#options.replica.foldPage(missed, this.#onFolded);
  }

  readonly #onFolded = (entries: readonly Entry[]): void => {
    this.#answerOwn(entries);
    this.#options.on.moved();
  };

  #lose(): void {
    const { replica, on } = this.#options;
    // It may go back again while it is being read: whoever has begun to follow since must be told, too.
    if (this.#lossCommand !== undefined) {
      on.lost();
      return;
    }
    this.#lossCommand = this.#options.afterLoss(replica.machine.durable);
    on.report(`the journal no longer holds position ${String(replica.head.position)} as it was folded here`, undefined);
    on.lost();
  }

  #answerOwn(entries: readonly Entry[]): void {
    const { queue } = this.#options;
    const attempted = new Map(queue.front.filter((one) => one.isAttempted).map((one) => [one.command.id, one]));
    if (attempted.size === 0) return;
    const answered = new Set<PendingCommand>();
    for (const entry of entries) {
      const waiting = attempted.get(entry.id);
      if (waiting === undefined || answered.has(waiting)) continue;
      waiting.reply(replyFromEntry(entry));
      answered.add(waiting);
    }
    queue.removeFromFront(answered);
  }
}
