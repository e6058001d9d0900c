/**
 * Notices that the server is no longer the one that acknowledged the past: a standby was promoted, a backup was put in
 * its place. Entries may be lost then that somebody has tokens of, even if this node never saw them; so the epoch must be
 * raised before anything is appended.
 *
 * A promoted standby and a restore to a point in time have another timeline, another cluster another identifier; the space
 * remembers both. An older copy of the files has the same ones, but its log ends before what this node has seen. Which
 * server it is can not change under a connection, so it is looked at once for each.
 *
 * Connections are made beside each other, and their answers arrive in any order. So a log is compared only with what was
 * seen before the server was asked: what another one heard meanwhile is later, and would make the same server look older.
 */
import type { Client } from "pg";
import type { ServerIdentity } from "./check-server.ts";
import { adoptMeta, writeMeta } from "./meta-table.ts";

export class PostgresForkWatch {
  readonly #space: string;
  #because: string | undefined;
  #isTold = true;
  #facts: ServerIdentity | undefined;
  /** The furthest end of the log that was seen. */
  #log = 0n;

  constructor(space: string) {
    this.#space = space;
  }

  /** Whoever asks knows from now on, and appends nothing before it has raised the epoch. */
  tell(): string | undefined {
    this.#isTold = true;
    return this.#because;
  }

  /** Something was noticed that nobody has asked for yet: until then nothing is appended. */
  get isUntold(): boolean {
    return !this.#isTold;
  }

  /** To be called on a new connection before the server is asked; what it returns looks at the answer. */
  begin(): (facts: ServerIdentity, client: Client) => Promise<void> {
    const seen = this.#log;
    return async (facts, client) => {
      const known = await adoptMeta(client, this.#space, "identity", identityOf(facts));
      this.#facts = facts;
      const because = difference(facts, { identity: known, log: seen });
      if (because === undefined || because === this.#because) {
        this.noteLog(facts.walEnd);
        return;
      }
      // What was seen before is the log of another server.
      this.#log = facts.walEnd;
      this.#because = because;
      this.#isTold = false;
    };
  }

  /** How far the log is now. */
  noteLog(log: bigint): void {
    if (log > this.#log) this.#log = log;
  }

  /** The epoch was raised: from now on this server is the one. */
  async settle(client: Client): Promise<void> {
    if (this.#facts === undefined) return;
    await writeMeta(client, this.#space, "identity", identityOf(this.#facts));
    this.#because = undefined;
  }
}

function difference(facts: ServerIdentity, known: { identity: string; log: bigint }): string | undefined {
  const here = identityOf(facts);
  if (known.identity !== here) {
    return `the server is another one than the journal was last written on (${known.identity}; now ${here})`;
  }
  return facts.walEnd < known.log ? "the server went back: an older copy of it was put in its place" : undefined;
}

function identityOf({ system, timeline }: ServerIdentity): string {
  return `${system} on timeline ${timeline}`;
}
