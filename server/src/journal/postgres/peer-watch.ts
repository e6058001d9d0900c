/**
 * How nodes hear of each other. NOTIFY wakes the others within a millisecond or so, and is only a hint: it is sent after
 * the append and outside its transaction, many appends share one, and nobody counts on it. A look every second finds what
 * a lost hint would have said, who else is there, and how far the server's log is.
 */
import type { Client } from "pg";
import type { Head, ClusterStatus } from "../journal.ts";
import { hashText } from "../seal.ts";
import type { PostgresForkWatch } from "./fork.ts";
import { mapError } from "./map-error.ts";
import type { PostgresSettings } from "./options.ts";
import { PostgresSession, type Statement } from "./session.ts";

/**
 * Each node holds two locks, which go with its connection: one says that it is there, by the number of its process, the
 * other which rules it carries. A node that holds only the first counts as one with rules 1.
 */
const pollStatement: Statement = {
  name: "look",
  text: `WITH held AS (
      SELECT pid, classid, objid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())),
    present AS (SELECT pid, objid FROM held WHERE classid = (hashtext($2)::bigint & 4294967295)::oid),
    carried AS (SELECT pid, objid::bigint AS rules FROM held
      WHERE classid = (hashtext($2 || ' rules')::bigint & 4294967295)::oid),
    newest AS (SELECT hash, first + count - 1 AS position FROM batches WHERE space = $1 ORDER BY first DESC LIMIT 1)
    SELECT (SELECT hash FROM newest), (SELECT position FROM newest)::text,
      (SELECT count(*) FILTER (WHERE objid < pg_backend_pid()::oid) FROM present),
      (SELECT count(*) FROM present),
      (SELECT min(coalesce(carried.rules, 1)) FROM present LEFT JOIN carried USING (pid)),
      (pg_current_wal_insert_lsn() - '0/0')::text
    FROM (SELECT 1) AS once`,
};
const registerNode = `SELECT pg_advisory_lock_shared(hashtext($1), pg_backend_pid()),
  pg_advisory_lock_shared(hashtext($1 || ' rules'), $2)`;

const timeouts = { statement: 5_000, lock: 5_000, idleInTransaction: 5_000 };

export interface PeerWatchOptions {
  readonly settings: PostgresSettings;
  readonly fork: PostgresForkWatch;
  /** The head that this journal has seen last, whose hash needs no wake. */
  readonly knownHead: () => Head | undefined;
}

export class PeerWatch {
  readonly #options: PeerWatchOptions;
  readonly #session: PostgresSession;
  readonly #channel: string;
  readonly #listeners = new Set<() => void>();
  readonly #newsListeners = new Set<(heard: ClusterStatus) => void>();
  #stopTimer: () => void = () => undefined;
  #ownProcess = 0;
  #rank = 0;
  #heard: ClusterStatus;
  #sending: Promise<void> | undefined;
  #mustSend = false;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: PeerWatchOptions) {
    const { settings } = options;
    this.#options = options;
    this.#heard = { observedAtMs: 0, position: 0, nodeCount: 1, commonRules: settings.rules, errorCode: undefined };
    this.#channel = `holdfast_${hashText(`${settings.schema}\n${settings.space}`).slice(0, 32)}`;
    this.#session = new PostgresSession(settings, {
      name: "listener",
      timeouts: timeouts,
      isDurable: false,
      onConnect: () => {
        const look = options.fork.begin();
        return async (facts, client) => {
          await look(facts, client);
          await this.#takePlace(client);
        };
      },
      onNotify: (message, sender) => {
        if (sender === this.#ownProcess) return;
        if (message === "here") this.#lookSoon(0);
        else this.#call();
      },
      onLost: () => {
        this.#lookSoon(options.settings.pollMs / 4);
      },
    });
  }

  /** Begins to listen; it can fail only at the start, later it is tried again. */
  async start(): Promise<void> {
    await this.#look();
    this.#lookSoon(this.#options.settings.pollMs);
  }

  get rank(): number {
    return this.#rank;
  }

  get status(): ClusterStatus {
    return this.#heard;
  }

  onWake(listener: () => void): () => void {
    // A wrapper of its own, so that a listener registered twice can be stopped once.
    const own = (): void => {
      listener();
    };
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  onStatus(listener: (heard: ClusterStatus) => void): () => void {
    const own = (heard: ClusterStatus): void => {
      listener(heard);
    };
    this.#newsListeners.add(own);
    return () => void this.#newsListeners.delete(own);
  }

  /** Something was appended here. Sent at once if nothing is being sent, else once for all that came meanwhile. */
  notifyPeers(): void {
    if (this.#heard.nodeCount < 2 || this.#isClosed) return;
    this.#mustSend = true;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    this.#listeners.clear();
    this.#newsListeners.clear();
    await this.#sending;
    await this.#looking;
    await this.#session.close();
  }

  async #sendAll(): Promise<void> {
    while (this.#mustSend) {
      this.#mustSend = false;
      const notify = { name: "notify", text: "SELECT pg_notify($1, '')" };
      await this.#session.run(notify, [this.#channel]).catch(() => undefined);
    }
  }

  async #takePlace(client: Client): Promise<void> {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    this.#ownProcess = rows[0]?.pid ?? 0;
    await client.query(registerNode, [this.#channel, this.#options.settings.rules]);
    await client.query(`LISTEN ${this.#channel}`);
    // Whoever was alone until now must begin to wake others.
    await client.query("SELECT pg_notify($1, 'here')", [this.#channel]);
  }

  #lookSoon(delayMs: number): void {
    this.#stopTimer();
    if (this.#isClosed) return;
    this.#stopTimer = this.#options.settings.clock.after(
      delayMs,
      () => {
        this.#looking ??= this.#tryToLook().finally(() => {
          this.#looking = undefined;
          this.#lookSoon(this.#options.settings.pollMs);
        });
      },
      { keepAlive: false },
    );
  }

  async #tryToLook(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      const wasTroubled = this.#heard.errorCode !== undefined;
      // The code alone: everybody may ask how a node is, and the message names hosts.
      this.#heard = { ...this.#heard, errorCode: mapError(error, { sent: false }).code };
      if (!wasTroubled && !this.#isClosed) this.#options.settings.onError("nothing is heard of other nodes", error);
    }
  }

  async #look(): Promise<void> {
    const { settings, knownHead, fork } = this.#options;
    const askedAtMs = settings.clock.monotonicMs();
    const [row = []] = await this.#session.run(pollStatement, [settings.space, this.#channel]);
    const [hash, position, rank, nodeCount, commonRules, log] = row as readonly (string | null)[];
    this.#rank = Number(rank ?? 0);
    this.#heard = {
      // What was appended while it was under way may be missing in the answer.
      observedAtMs: askedAtMs,
      position: Number(position ?? 0),
      nodeCount: Number(nodeCount ?? 1),
      commonRules: Number(commonRules ?? 1),
      errorCode: undefined,
    };
    fork.noteLog(BigInt(log ?? 0));
    if (typeof hash === "string" && hash !== knownHead()?.hash) this.#call();
    for (const listener of [...this.#newsListeners]) listener(this.#heard);
  }

  #call(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
