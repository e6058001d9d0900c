import type { FollowedPage } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import type { TimerCommand } from "../machine/feature.ts";
import type { StateReader } from "../machine/state.ts";
import type { CommandQueue, Waiting } from "./command-queue.ts";
import type { AskForPage, Replica } from "./replica.ts";
import { replyFromEntry } from "./reply.ts";

export interface FollowerListener {
  /** The head moved: entries are durable and folded. */
  moved(): void;
  /** The history that was folded here is gone. Reads wait until `loaded`. */
  lost(): void;
  loaded(): void;
  /** Something that an operator should know. */
  readonly report: (message: string, cause: unknown) => void;
}

export interface FollowerOptions {
  readonly replica: Replica;
  readonly queue: CommandQueue;
  /** The command that raises the epoch, made from the state that was lost. */
  readonly afterLoss: (lost: StateReader) => TimerCommand;
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

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Returns the command to be sent after a loss, once everything is folded again. It may throw half-way; call again. */
  async follow(first?: AskForPage): Promise<TimerCommand | undefined> {
    const { replica, on } = this.#options;
    while ((await replica.follow(this.#onFolded, first)) === "diverged") {
      this.#lose();
      await replica.restart();
    }
    const command = this.#lossCommand;
    if (command === undefined) return undefined;
    this.#lossCommand = undefined;
    on.loaded();
    return command;
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
    const answered = new Set<Waiting>();
    for (const entry of entries) {
      const waiting = attempted.get(entry.id);
      if (waiting === undefined || answered.has(waiting)) continue;
      waiting.reply(replyFromEntry(entry));
      answered.add(waiting);
    }
    queue.removeFromFront(answered);
  }
}
