import type { DecidedBatch } from "./decide-batch.ts";
import type { PendingCommand } from "./command-queue.ts";
import type { UnreadableEntry } from "./find-keyed-entries.ts";
import { replyOf, refusalReply } from "./reply.ts";
import type { AppendBackoff } from "./append-backoff.ts";

interface ReplySenderOptions {
  readonly backoff: AppendBackoff;
  /** The position of the last folded entry. */
  readonly position: () => number;
  readonly report: (message: string, cause: unknown) => void;
}

/** Retry delay for a key that a damaged entry used. The engine cannot fix the entry. An operator has to restore a copy. */
const damagedRetryMs = 1_000;

/** Sends replies to callers: the outcome once it is durable, or the reason why there is none. */
export class ReplySender {
  readonly #options: ReplySenderOptions;

  constructor(options: ReplySenderOptions) {
    this.#options = options;
  }

  /** Sends the outcomes of a durable batch. */
  sendOutcomes(batch: DecidedBatch): void {
    for (const { pending, decided, position } of batch.results) {
      if (decided.defect !== undefined) {
        const { operation, id } = pending.command;
        this.#options.report(`a bug stopped ${operation} (${id})`, decided.defect);
      }
      pending.reply(replyOf(decided, position));
    }
  }

  /**
   * Refuses the commands whose key was used by an unreadable entry, and returns the others. An archived entry is older than
   * the idempotency window. A damaged entry may be younger, and then its outcome is unknown until an operator restores it.
   */
  refuseUnreadable(
    commands: readonly PendingCommand[],
    unreadable: ReadonlyMap<string, UnreadableEntry>,
  ): readonly PendingCommand[] {
    if (unreadable.size === 0) return commands;
    for (const { position, error } of unreadable.values()) {
      if (error.code === "archived") continue;
      this.#options.report(
        `a command was refused because its key was used by the unreadable entry ${String(position)}: ${error.message}`,
        error,
      );
    }
    return commands.filter((pending) => {
      const { scope = "", counterpart = "" } = pending;
      const found = unreadable.get(scope) ?? unreadable.get(counterpart);
      if (found === undefined) return true;
      const { position, error } = found;
      if (error.code === "archived") this.refuse(pending, "idempotency_key_expired", { position });
      else this.refuse(pending, "journal_unavailable", { reason: error.code, retry_after_ms: damagedRetryMs });
      return false;
    });
  }

  /** Refuses a command whose deadline has passed. It reports an outage or an attempted append as the reason, if any. */
  refuseLate(pending: PendingCommand): void {
    if (pending.isAttempted || this.#options.backoff.outage !== undefined) this.refuseUndecided(pending);
    else this.refuse(pending, "deadline_passed", {});
  }

  /** Refuses a command that was not decided because of the journal. After an attempted append the outcome is unknown. */
  refuseUndecided(pending: PendingCommand): void {
    if (pending.isAttempted) {
      this.refuse(pending, "outcome_unknown", { command_id: pending.command.id });
      return;
    }
    const { backoff } = this.#options;
    const reason = backoff.outage?.reason ?? "stopping";
    this.refuse(pending, "journal_unavailable", { reason, retry_after_ms: backoff.waitMs ?? 1 });
  }

  /** Refuses a command on a node that has failed permanently. */
  refuseBroken(pending: PendingCommand, reason: string): void {
    if (pending.isAttempted) this.refuseUndecided(pending);
    else this.refuse(pending, "stopping", { reason });
  }

  refuse(pending: PendingCommand, code: string, data: Readonly<Record<string, string | number>>): void {
    pending.reply(refusalReply(code, data, this.#options.position()));
  }
}
