import type { DecidedBatch } from "./decide-batch.ts";
import type { PendingCommand } from "./command-queue.ts";
import type { UnreadableEntry } from "./find-keyed-entries.ts";
import { replyOf, refusalReply } from "./reply.ts";
import type { AppendBackoff } from "./append-backoff.ts";

export interface ReplySenderOptions {
  readonly backoff: AppendBackoff;
  /** The position of the last entry that is folded. */
  readonly position: () => number;
  readonly report: (message: string, cause: unknown) => void;
}

/** When to ask again about a damaged entry. Nothing here mends it; somebody has to put a sound copy in its place. */
const damagedRetryMs = 1_000;

/** What callers are told, once it is true: the outcome, or why there is none and what that means for them. */
export class ReplySender {
  readonly #options: ReplySenderOptions;

  constructor(options: ReplySenderOptions) {
    this.#options = options;
  }

  /** The batch is durable. */
  sendOutcomes(batch: DecidedBatch): void {
    for (const { waiting, decided, position } of batch.results) {
      if (decided.defect !== undefined) {
        const { operation, id } = waiting.command;
        this.#options.report(`a defect stopped ${operation} (${id})`, decided.defect);
      }
      waiting.reply(replyOf(decided, position));
    }
  }

  /**
   * Refuses those whose key was used by an entry that can't be read, and returns the others. What is archived is older than
   * answers are given again for. A damaged entry may be younger: then nobody can say yet what the answer was.
   */
  refuseUnreadable(
    waiting: readonly PendingCommand[],
    unreadable: ReadonlyMap<string, UnreadableEntry>,
  ): readonly PendingCommand[] {
    if (unreadable.size === 0) return waiting;
    for (const { position, error } of unreadable.values()) {
      if (error.code === "archived") continue;
      this.#options.report(
        `a key can't be answered, it was used by entry ${String(position)}: ${error.message}`,
        error,
      );
    }
    return waiting.filter((one) => {
      const found = one.scope === undefined ? undefined : unreadable.get(one.scope);
      if (found === undefined) return true;
      const { position, error } = found;
      if (error.code === "archived") this.refuse(one, "idempotency_key_expired", { position });
      else this.refuse(one, "journal_unavailable", { reason: error.code, retry_after_ms: damagedRetryMs });
      return false;
    });
  }

  /** The deadline passed. If the journal is to blame, or may even have taken it, that is what is said. */
  refuseLate(waiting: PendingCommand): void {
    if (waiting.isAttempted || this.#options.backoff.outage !== undefined) this.refuseUndecided(waiting);
    else this.refuse(waiting, "deadline_passed", {});
  }

  /** The honest answer to a command that the journal kept from being decided. */
  refuseUndecided(waiting: PendingCommand): void {
    if (waiting.isAttempted) {
      this.refuse(waiting, "outcome_unknown", { command_id: waiting.command.id });
      return;
    }
    const { backoff: trouble } = this.#options;
    const reason = trouble.outage?.reason ?? "stopping";
    this.refuse(waiting, "journal_unavailable", { reason, retry_after_ms: trouble.waitMs ?? 1 });
  }

  /** Nothing more will be decided here. */
  refuseBroken(waiting: PendingCommand, reason: string): void {
    if (waiting.isAttempted) this.refuseUndecided(waiting);
    else this.refuse(waiting, "stopping", { reason });
  }

  refuse(waiting: PendingCommand, code: string, data: Readonly<Record<string, string | number>>): void {
    waiting.reply(refusalReply(code, data, this.#options.position()));
  }
}
