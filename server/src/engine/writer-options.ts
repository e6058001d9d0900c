import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import { type Journal, JournalError } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import type { TimerCommand } from "../machine/feature.ts";
import type { StateReader } from "../machine/state.ts";
import type { CommandQueue } from "./command-queue.ts";
import type { FollowerListener, EpochChange } from "./follower.ts";
import type { Replica } from "./replica.ts";
import type { EngineCommand } from "./state-hasher.ts";
import type { AppendBackoff } from "./append-backoff.ts";

export interface WriterOptions {
  readonly journal: Journal;
  readonly replica: Replica;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly afterLoss: (lost: StateReader) => TimerCommand;
  /** The commands of the engine itself for the next batch. They are returned again until they are in the journal. */
  readonly engineCommands: () => readonly EngineCommand[];
  /** The epoch change that a new fork of the journal requires, or undefined if there is no new fork. */
  readonly epochChange: () => EpochChange | undefined;
  readonly on: FollowerListener & {
    /** Called when this node has failed permanently. The folded state stays. */
    broken(cause: unknown): void;
  };
  /** See EngineOptions. */
  readonly onBatch?: ((batch: { readonly entries: readonly Entry[]; readonly appendMs: number }) => void) | undefined;
}

/** The error for readers that wait on a node that stops. */
export function stoppingError(cause: unknown): JournalError {
  return new JournalError("closed", "this node is stopping", { certain: true, cause });
}

/** The reason why a new command is not admitted to the queue. */
export interface AdmissionRefusal {
  readonly code: "stopping" | "journal_unavailable" | "overloaded";
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
}

/** Refuses a command during an outage of the journal, or if the queue is full. */
export function overloadRefusal(backoff: AppendBackoff, queue: CommandQueue): AdmissionRefusal | undefined {
  const retryAfterMs = backoff.waitMs;
  if (retryAfterMs !== undefined) {
    return { code: "journal_unavailable", reason: backoff.outage?.reason ?? "", retryAfterMs };
  }
  if (queue.hasRoom) return undefined;
  return { code: "overloaded", reason: "the command queue is full", retryAfterMs: queue.drainMs };
}
