/**
 * Detects that the server is not the one that acknowledged the past, because a standby was promoted or a backup was
 * restored. Entries may be lost then, including entries that this node never read. Clients may hold tokens of them, so the
 * epoch must be raised before the next append.
 *
 * - A promoted standby and a restore to a point in time have another timeline. Another cluster has another system
 *   identifier. The space stores both.
 * - An older copy of the files has the same timeline and identifier, but its WAL ends before the end that this node saw.
 * - The server cannot change under a connection, so each connection checks it once.
 *
 * Connections are made concurrently, and their answers arrive in any order. A WAL end is therefore compared only with the
 * ends seen before its query was sent. A later end from another connection would make the same server look older.
 */
import type { Client } from "pg";
import type { ServerIdentity } from "./check-server.ts";
import { adoptMeta, writeMeta } from "./meta.ts";

export class PostgresForkWatch {
  readonly #space: string;
  #reason: string | undefined;
  #isRead = true;
  #server: ServerIdentity | undefined;
  /** The latest end of the WAL that was seen. */
  #walEnd = 0n;

  constructor(space: string) {
    this.#space = space;
  }

  /** Returns the reason of a fork. The engine must raise the epoch before its next append. */
  readReason(): string | undefined {
    this.#isRead = true;
    return this.#reason;
  }

  /** True if a fork was detected whose reason the engine has not read. Nothing is appended until it has. */
  get isUnread(): boolean {
    return !this.#isRead;
  }

  /** Must be called on a new connection before the query for its identity. The returned function checks the answer. */
  begin(): (server: ServerIdentity, client: Client) => Promise<void> {
    const walEnd = this.#walEnd;
    return async (server, client) => {
      const known = await adoptMeta(client, this.#space, "identity", identityOf(server));
      this.#server = server;
      const reason = difference(server, { identity: known, walEnd });
      if (reason === undefined || reason === this.#reason) {
        this.noteWalEnd(server.walEnd);
        return;
      }
      // Earlier WAL ends belong to another server.
      this.#walEnd = server.walEnd;
      this.#reason = reason;
      this.#isRead = false;
    };
  }

  /** Records the current end of the WAL. */
  noteWalEnd(walEnd: bigint): void {
    if (walEnd > this.#walEnd) this.#walEnd = walEnd;
  }

  /** Stores this server as the journal's server, after the epoch was raised. */
  async settle(client: Client): Promise<void> {
    if (this.#server === undefined) return;
    await writeMeta(client, this.#space, "identity", identityOf(this.#server));
    this.#reason = undefined;
  }
}

function difference(server: ServerIdentity, known: { identity: string; walEnd: bigint }): string | undefined {
  const current = identityOf(server);
  if (known.identity !== current) {
    return `the server ${current} is not the server that last wrote the journal, ${known.identity}`;
  }
  return server.walEnd < known.walEnd ? "an older copy of the server's files was restored" : undefined;
}

function identityOf({ system, timeline }: ServerIdentity): string {
  return `${system} on timeline ${timeline}`;
}
