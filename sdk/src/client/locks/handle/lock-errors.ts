/** Why a lock was lost, while its holder still wanted it. */
export type LossReason =
  /** The lease, or the longest hold, ended. */
  | "expired"
  /** An operator freed it. */
  | "forced"
  /** It was stale, and was recovered. */
  | "recovered"
  /** The agent that held it has ended. */
  | "agent-ended"
  /** It was handed to another owner. */
  | "transferred"
  /** Somebody who speaks as the same owner gave it back. */
  | "released"
  /** The server did not answer until the lease must be taken for ended. */
  | "server-unreachable";

const sentences: Readonly<Record<LossReason, string>> = {
  expired: "its lease ended",
  forced: "an operator freed it",
  recovered: "it was stale and was recovered",
  "agent-ended": "the agent that held it has ended",
  transferred: "it was handed to another owner",
  released: "somebody who acts as the same owner released it",
  "server-unreachable": "the server could not be reached before the lease may have ended",
};

/** The reason with which a lock's signal aborts. */
export class LockLostError extends Error {
  override readonly name = "LockLostError";
  readonly code = "lock_lost";
  readonly why: LossReason;
  readonly fence: string;
  readonly paths: readonly string[];
  /** What the event said: by whom, for what reason. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    why: LossReason,
    lock: { readonly fence: string; readonly paths: readonly string[] },
    data: Readonly<Record<string, unknown>> = {},
  ) {
    const detail = typeof data["why"] === "string" ? ` (${data["why"]})` : "";
    super(
      `the lock on ${lock.paths.join(", ")} is lost: ${sentences[why]}${detail}. Stop what you did under it; ` +
        "acquire it again and read before you write.",
    );
    this.why = why;
    this.fence = lock.fence;
    this.paths = lock.paths;
    this.data = data;
  }
}

/** Something that was asked of the client can't be meant so. The message says what to do instead. */
export class LockUsageError extends TypeError {
  override readonly name = "LockUsageError";
  readonly code = "lock_usage";
}
