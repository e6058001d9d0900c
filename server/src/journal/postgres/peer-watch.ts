/**
 * Notifies the other nodes of appends, and polls the journal for theirs.
 *
 * NOTIFY wakes the other nodes within about a millisecond. It is only a hint: a node sends it after the append and outside
 * its transaction, and many appends share one. No guarantee depends on it. A poll every second finds entries whose
 * notification was lost, the nodes that are present, and the end of the server's WAL.
 */
import type { Client } from "pg";
import type { Head, ClusterStatus } from "../journal.ts";
import { hashText } from "../seal.ts";
import type { PostgresForkWatch } from "./fork.ts";
import { mapError } from "./map-error.ts";
import type { PostgresSettings } from "./options.ts";
import { PostgresSession, type Statement } from "./session.ts";

/**
 * Each node holds two advisory locks, which end with its connection. One shows that the node is present, by the id of its
 * process. The other shows its newest rules. A node that holds only the first lock counts as one with rules 1.
 */
const pollStatement: Statement = {
  name: "poll",
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

interface PeerWatchOptions {
  readonly settings: PostgresSettings;
  readonly fork: PostgresForkWatch;
  /** The newest head that this journal knows. A poll that finds the same hash wakes no listener. */
  readonly knownHead: () => Head | undefined;
}

export class PeerWatch {
  readonly #options: PeerWatchOptions;
  readonly #session: PostgresSession;
  readonly #channel: string;
  readonly #listeners = new Set<() => void>();
  readonly #statusListeners = new Set<(status: ClusterStatus) => void>();
  #stopTimer: () => void = () => undefined;
  #ownProcess = 0;
  #rank = 0;
  #status: ClusterStatus;
  #notifying: Promise<void> | undefined;
  #mustNotify = false;
  #polling: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: PeerWatchOptions) {
    const { settings } = options;
    this.#options = options;
    this.#status = { observedAtMs: 0, position: 0, nodeCount: 1, commonRules: settings.rules, errorCode: undefined };
    this.#channel = `holdfast_${hashText(`${settings.schema}\n${settings.space}`).slice(0, 32)}`;
    this.#session = new PostgresSession(settings, {
      name: "listener",
      timeouts: timeouts,
      isDurable: false,
      onConnect: () => {
        const checkFork = options.fork.begin();
        return async (server, client) => {
          await checkFork(server, client);
          await this.#register(client);
        };
      },
      onNotify: (message, sender) => {
        if (sender === this.#ownProcess) return;
        if (message === "here") this.#pollAfter(0);
        else this.#wake();
      },
      onLost: () => {
        this.#pollAfter(options.settings.pollMs / 4);
      },
    });
  }

  /** Starts to listen and to poll. Only this first poll can throw. Later polls are retried. */
  async start(): Promise<void> {
    await this.#poll();
    this.#pollAfter(this.#options.settings.pollMs);
  }

  get rank(): number {
    return this.#rank;
  }

  get status(): ClusterStatus {
    return this.#status;
  }

  onWake(listener: () => void): () => void {
    // Each registration gets its own wrapper, so a listener that is registered twice can be unsubscribed once.
    const own = (): void => {
      listener();
    };
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  onStatus(listener: (status: ClusterStatus) => void): () => void {
    const own = (status: ClusterStatus): void => {
      listener(status);
    };
    this.#statusListeners.add(own);
    return () => void this.#statusListeners.delete(own);
  }

  /** Notifies the other nodes of an append. Appends during a notification share the next one. */
  notifyPeers(): void {
    if (this.#status.nodeCount < 2 || this.#isClosed) return;
    this.#mustNotify = true;
    this.#notifying ??= this.#sendAll().finally(() => {
      this.#notifying = undefined;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    this.#listeners.clear();
    this.#statusListeners.clear();
    await this.#notifying;
    await this.#polling;
    await this.#session.close();
  }

  async #sendAll(): Promise<void> {
    while (this.#mustNotify) {
      this.#mustNotify = false;
      const notify = { name: "notify", text: "SELECT pg_notify($1, '')" };
      await this.#session.run(notify, [this.#channel]).catch(() => undefined);
    }
  }

  async #register(client: Client): Promise<void> {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    this.#ownProcess = rows[0]?.pid ?? 0;
    await client.query(registerNode, [this.#channel, this.#options.settings.rules]);
    await client.query(`LISTEN ${this.#channel}`);
    // A node that was alone must start to notify.
    await client.query("SELECT pg_notify($1, 'here')", [this.#channel]);
  }

  #pollAfter(delayMs: number): void {
    this.#stopTimer();
    if (this.#isClosed) return;
    this.#stopTimer = this.#options.settings.clock.after(
      delayMs,
      () => {
        this.#polling ??= this.#tryToPoll().finally(() => {
          this.#polling = undefined;
          this.#pollAfter(this.#options.settings.pollMs);
        });
      },
      { keepAlive: false },
    );
  }

  async #tryToPoll(): Promise<void> {
    try {
      await this.#poll();
    } catch (error) {
      const hadFailed = this.#status.errorCode !== undefined;
      // Only the code is kept. The health endpoint is public, and the message names hosts.
      this.#status = { ...this.#status, errorCode: mapError(error, { sent: false }).code };
      if (!hadFailed && !this.#isClosed) this.#options.settings.onError("the poll of the other nodes failed", error);
    }
  }

  async #poll(): Promise<void> {
    const { settings, knownHead, fork } = this.#options;
    const startedAtMs = settings.clock.monotonicMs();
    const [row = []] = await this.#session.run(pollStatement, [settings.space, this.#channel]);
    const [hash, position, rank, nodeCount, commonRules, walEnd] = row as readonly (string | null)[];
    this.#rank = Number(rank ?? 0);
    this.#status = {
      // The answer may miss entries that were appended during the query.
      observedAtMs: startedAtMs,
      position: Number(position ?? 0),
      nodeCount: Number(nodeCount ?? 1),
      commonRules: Number(commonRules ?? 1),
      errorCode: undefined,
    };
    fork.noteWalEnd(BigInt(walEnd ?? 0));
    if (typeof hash === "string" && hash !== knownHead()?.hash) this.#wake();
    for (const listener of [...this.#statusListeners]) listener(this.#status);
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
