import type { Clock } from "../../base/clock.ts";

export interface PostgresJournalOptions {
  /** postgres://user:password@host:port/database, with `?sslmode=verify-full` for TLS. Not a pooler and not a replica. */
  readonly url: string;
  readonly clock: Clock;
  readonly space?: string;
  /** The schema that holds the tables. It is created if it does not exist. */
  readonly schema?: string;
  /** The newest rules that this node supports. The node publishes the number to the other nodes. */
  readonly rules?: number;
  /** Number of index rows in memory at which they are flushed to their tables. */
  readonly tailRows?: number;
  /** Interval between polls. A poll finds entries whose notification was lost. */
  readonly pollMs?: number;
  /** Maximum idle time of a node that holds the turn. The server then ends its turn. */
  readonly turnMs?: number;
  /** Accepts a server with fsync=off, which may lose acknowledged batches. For tests on a temporary server. */
  readonly allowsFsyncOff?: boolean;
  /** Called for failures that are retried: polls of the other nodes, flushes of the index. */
  readonly onError?: (message: string, error: unknown) => void;
}

/** The options with their defaults. */
export type PostgresSettings = Required<PostgresJournalOptions>;

export function settingsOf(options: PostgresJournalOptions): PostgresSettings {
  return {
    space: "main",
    schema: "holdfast",
    rules: 1,
    tailRows: 40_000,
    pollMs: 1_000,
    turnMs: 500,
    allowsFsyncOff: false,
    onError: () => undefined,
    ...options,
  };
}
