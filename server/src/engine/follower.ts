import type { FollowedPage } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import type { TimerCommand } from "../machine/feature.ts";
import type { StateReader } from "../machine/state.ts";
import type { CommandQueue, PendingCommand } from "./command-queue.ts";
import type { Replica } from "./replica.ts";
import { replyFromEntry } from "./reply.ts";
import type { EngineCommand } from "./state-hasher.ts";

export interface FollowerListener {
  /** Called when the head moved. Its entries are durable and folded. */
  moved(): void;
  /** Called when the journal does not hold the folded history. Reads wait until `loaded`. */
  lost(): void;
  loaded(): void;
  /** Reports a condition to the operator. */
  readonly report: (message: string, cause: unknown) => void;
}

/** Starts a new epoch, because the journal may have another future elsewhere. */
export interface EpochChange {
  /** Makes the command that starts an epoch above the folded one. */
  readonly command: () => TimerCommand;
  readonly done: () => void;
}

interface FollowerOptions {
  readonly replica: Replica;
  readonly queue: CommandQueue;
  /** The command that raises the epoch, made from the state that was lost. */
  readonly afterLoss: (lost: StateReader) => TimerCommand;
  /** The epoch change that a new fork of the journal requires, or undefined if there is no new fork. */
  readonly epochChange: () => EpochChange | undefined;
  readonly on: FollowerListener;
}

/**
 * Catches up with the journal. It folds the entries of other nodes. If the answer to an append was lost, it finds the
 * commands of that append in the journal and answers them.
 *
 * If the journal does not hold the folded history, the follower restarts from a checkpoint or from the first entry. The
 * epoch must then be raised, so that tokens of the lost history are refused.
 */
export class Follower {
  readonly #options: FollowerOptions;
  #lossCommand: TimerCommand | undefined;
  #epochChange: EpochChange | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Returns the commands that must be sent before all others, the first one last. If it throws, call it again. */
  async follow(): Promise<readonly EngineCommand[]> {
    const { replica, on } = this.#options;
    this.#epochChange ??= this.#options.epochChange();
    while ((await replica.follow(this.#onFolded)) === "diverged") {
      this.#lose();
      await replica.restart();
    }
    const first: EngineCommand[] = [];
    if (this.#lossCommand !== undefined) {
      first.push({ command: this.#lossCommand, done: () => undefined });
      on.loaded();
    }
    // Made from the current state. An epoch that started for an earlier fork does not cover this one.
    const change = this.#epochChange;
    if (change !== undefined) first.push({ command: change.command(), done: change.done });
    this.#lossCommand = undefined;
    this.#epochChange = undefined;
    return first;
  }

  /** Folds the missed entries that a lost race returned. */
  foldMissed(missed: FollowedPage): void {
    this.#options.replica.foldPage(missed, this.#onFolded);
  }

  readonly #onFolded = (entries: readonly Entry[]): void => {
    this.#answerOwn(entries);
    this.#options.on.moved();
  };

  #lose(): void {
    const { replica, on } = this.#options;
    // The journal may be rolled back again during the reload. Listeners that joined since must be notified too.
    if (this.#lossCommand !== undefined) {
      on.lost();
      return;
    }
    this.#lossCommand = this.#options.afterLoss(replica.machine.durable);
    on.report(`the journal does not hold position ${String(replica.head.position)} as this node folded it`, undefined);
    on.lost();
  }

  #answerOwn(entries: readonly Entry[]): void {
    const { queue } = this.#options;
    const attempted = new Map(
      queue.front.filter(({ isAttempted }) => isAttempted).map((pending) => [pending.command.id, pending]),
    );
    if (attempted.size === 0) return;
    const answered = new Set<PendingCommand>();
    for (const entry of entries) {
      const pending = attempted.get(entry.id);
      if (pending === undefined || answered.has(pending)) continue;
      pending.reply(replyFromEntry(entry));
      answered.add(pending);
    }
    queue.removeFromFront(answered);
  }
}
