/** The reason of a loss, while the holder still used the lock. */
export type LossReason =
  /** The lease or the maximum hold ended. */
  | "expired"
  /** An operator freed it. */
  | "forced"
  /** It was stale, and was recovered. */
  | "recovered"
  /** The agent that held it has ended. */
  | "agent-ended"
  /** It was transferred to another owner. */
  | "transferred"
  /** Another client with the same owner released it. */
  | "released"
  /** The server did not answer before the lease may have ended. */
  | "server-unreachable";

const sentences: Readonly<Record<LossReason, string>> = {
  expired: "its lease ended",
  forced: "an operator freed it",
  recovered: "it was stale and was recovered",
  "agent-ended": "the agent that held it has ended",
  transferred: "it was transferred to another owner",
  released: "another client with the same owner released it",
  "server-unreachable": "the server could not be reached before the lease may have ended",
};

/** The abort reason of a lock's signal. */
export class LockLostError extends Error {
  override readonly name = "LockLostError";
  readonly code = "lock_lost";
  readonly why: LossReason;
  readonly fence: string;
  readonly paths: readonly string[];
  /** The data of the event: author and reason. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    why: LossReason,
    lock: { readonly fence: string; readonly paths: readonly string[] },
    data: Readonly<Record<string, unknown>> = {},
  ) {
    const detail = typeof data["why"] === "string" ? ` (${data["why"]})` : "";
    super(
      `the lock on ${lock.paths.join(", ")} is lost: ${sentences[why]}${detail}. Stop the work under it; ` +
        "acquire it again and read before you write.",
    );
    this.why = why;
    this.fence = lock.fence;
    this.paths = lock.paths;
    this.data = data;
  }
}

/** Invalid use of the client. The message says what to do instead. */
export class LockUsageError extends TypeError {
  override readonly name = "LockUsageError";
  readonly code = "lock_usage";
}
