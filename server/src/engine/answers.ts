import type { Batch } from "./batch.ts";
import type { Waiting } from "./command-queue.ts";
import type { Unreadable } from "./find-priors.ts";
import { replyOf, unanswered } from "./reply.ts";
import type { TroubleWatch } from "./trouble-watch.ts";

export interface AnswersOptions {
  readonly trouble: TroubleWatch;
  /** The position of the last entry that is folded. */
  readonly position: () => number;
  readonly report: (message: string, cause: unknown) => void;
}

/** When to ask again about a damaged entry. Nothing here mends it; somebody has to put a sound copy in its place. */
const damagedRetryMs = 1_000;

/** What callers are told, once it is true: the outcome, or why there is none and what that means for them. */
export class Answers {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** The batch is durable. */
  decided(batch: Batch): void {
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
  refuseUnreadable(waiting: readonly Waiting[], unreadable: ReadonlyMap<string, Unreadable>): readonly Waiting[] {
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
  late(waiting: Waiting): void {
    if (waiting.isAttempted || this.#options.trouble.current !== undefined) this.undecided(waiting);
    else this.refuse(waiting, "deadline_passed", {});
  }

  /** The honest answer to a command that the journal kept from being decided. */
  undecided(waiting: Waiting): void {
    if (waiting.isAttempted) {
      this.refuse(waiting, "outcome_unknown", { command_id: waiting.command.id });
      return;
    }
    const { trouble } = this.#options;
    const reason = trouble.current?.reason ?? "stopping";
    this.refuse(waiting, "journal_unavailable", { reason, retry_after_ms: trouble.waitMs ?? 1 });
  }

  /** Nothing more will be decided here. */
  broken(waiting: Waiting, reason: string): void {
    if (waiting.isAttempted) this.undecided(waiting);
    else this.refuse(waiting, "stopping", { reason });
  }

  refuse(waiting: Waiting, code: string, data: Readonly<Record<string, string | number>>): void {
    waiting.reply(unanswered(code, data, this.#options.position()));
  }
}
