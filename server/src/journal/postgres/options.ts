import type { Clock } from "../../base/clock.ts";

export interface PostgresJournalOptions {
  /** postgres://user:password@host:port/database; `?sslmode=verify-full` for TLS. Never a pooler, never a replica. */
  readonly url: string;
  readonly clock: Clock;
  readonly space?: string;
  /** The schema that holds the tables. It is made if it is not there. */
  readonly schema?: string;
  /** The newest rules that this node carries; other nodes are told. */
  readonly rules?: number;
  /** How many index rows are kept in memory before they are written to their tables. */
  readonly tailRows?: number;
  /** How long until a node whose wake was lost looks by itself. */
  readonly pollMs?: number;
  /** Who has the turn and sleeps keeps everybody waiting for so long, once. */
  readonly turnMs?: number;
  /** Takes a server that may forget what it acknowledged (fsync=off), for tests on a server that is thrown away. */
  readonly allowsFsyncOff?: boolean;
  /** Hears of what does not work and is tried again: listening to others, writing the index. */
  readonly onError?: (message: string, error: unknown) => void;
}

/** The options, whole. */
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
