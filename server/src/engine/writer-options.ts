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
  /** What the engine itself has to record with the next batch; asked again until it is in the journal. */
  readonly engineCommands: () => readonly EngineCommand[];
  /** What must come first because the journal may have another future elsewhere; undefined if there is nothing new. */
  readonly epochChange: () => EpochChange | undefined;
  readonly on: FollowerListener & {
    /** This node can't go on. What is folded stays as it is. */
    broken(cause: unknown): void;
  };
  /** See EngineOptions. */
  readonly onBatch?: (batch: { readonly entries: readonly Entry[]; readonly appendMs: number }) => void;
}

/** What readers are told who wait for what will not come any more. */
export function stoppingError(cause: unknown): JournalError {
  return new JournalError("closed", "this node stops", { certain: true, cause });
}

/** Why a new command can't even wait. */
export interface AdmissionRefusal {
  readonly code: "stopping" | "journal_unavailable" | "overloaded";
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
}

export function overloadRefusal(trouble: AppendBackoff, queue: CommandQueue): AdmissionRefusal | undefined {
  const retryAfterMs = trouble.waitMs;
  if (retryAfterMs !== undefined) {
    return { code: "journal_unavailable", reason: trouble.outage?.reason ?? "", retryAfterMs };
  }
  if (queue.hasRoom) return undefined;
  return { code: "overloaded", reason: "too many commands wait", retryAfterMs: queue.drainMs };
}
