import { beatThread } from "#host";
import { abortable } from "./abortable.ts";
import { agentsClient } from "./agents-client.ts";
import type { AgentsClient } from "./agents-client.ts";
import { auditClient, journalClient } from "./audit-client.ts";
import type { AuditClient, JournalClient } from "./audit-client.ts";
import { Caller } from "./caller.ts";
import type { Identity } from "./caller.ts";
import { systemClientClock } from "./client-clock.ts";
import type { ClientClock } from "./client-clock.ts";
import { entitiesClient } from "./entities-client.ts";
import type { EntitiesClient, Run } from "./entities-client.ts";
import type { BeatThread } from "./locks/heartbeats/heartbeats.ts";
import { LockSessions } from "./locks/session/lock-sessions.ts";
import type { DeniedLock, Lock } from "./locks/handle/lock.ts";
import type { LockOptions } from "./locks/waiting/lock-options.ts";
import type { LockPaths } from "./locks/lock-path.ts";
import type { Introduction } from "./locks/session/session-agent.ts";
import { locksClient } from "./locks-client.ts";
import type { LocksClient } from "./locks-client.ts";
import { retryOnDeadlock } from "./locks/waiting/retry-on-deadlock.ts";
import type { DeadlockRetryOptions, Tries } from "./locks/waiting/retry-on-deadlock.ts";
import { Retrier } from "./retry.ts";
import type { RetryOptions } from "./retry.ts";
import type { CallOptions, CallReply, Reads, Transport, WatchedEvent } from "./transport.ts";
import { tokensClient } from "./tokens-client.ts";
import type { TokensClient } from "./tokens-client.ts";
import { planningClient } from "./planning-client.ts";
import type { PlanningClient } from "./planning-client.ts";
import type { Notice } from "../contract/notices.ts";
import type { WatchFilter } from "../contract/watch-filter.ts";
import { oneByOne } from "./one-by-one.ts";

/** Holdfast, as a program sees it: the same in process, over a socket and over HTTP. Its functions need no `this`. */
export interface Client extends AsyncDisposable {
  readonly entities: EntitiesClient;
  readonly agents: AgentsClient;
  readonly locks: LocksClient;
  /** The pack `planning`. */
  readonly planning: PlanningClient;
  readonly audit: AuditClient;
  readonly journal: JournalClient;
  readonly tokens: TokensClient;
  /**
   * Takes a lock on one path or on a set, all or nothing, and waits for it unless told otherwise. The lock renews itself
   * and is released at the end of the scope: `await using lock = await client.acquire("repo/x/src")`. A client that
   * speaks for no agent registers one of its own first.
   */
  readonly acquire: (paths: LockPaths, options?: LockOptions) => Promise<Lock | DeniedLock>;
  /**
   * Runs something that takes several locks, and again if waiting for one of them would never have ended; what it took
   * through the argument is released in between. Three tries, then a DeadlockError.
   */
  readonly retryOnDeadlock: <Result>(
    work: (scope: Tries) => Promise<Result>,
    options?: DeadlockRetryOptions,
  ) => Promise<Result>;
  /** The same client, speaking as a registered agent. */
  readonly as: (agent: { readonly agent_id: string; readonly secret?: string }) => Client;
  /**
   * A client with an agent of its own, over the same connection: what the two lock excludes each other. Closing it ends
   * its agent and leaves the connection open.
   */
  readonly fork: (introduction?: Introduction) => Client;
  /** Runs any operation by name and returns its outcome as a value, refusals included. */
  readonly execute: (operation: string, input: unknown, options?: CallOptions) => Promise<CallReply>;
  /** Runs any operation by name; a refusal is thrown as a HoldfastError. */
  readonly run: (operation: string, input: unknown, options?: CallOptions) => Promise<unknown>;
  /** Every event after a cursor, without gap or repeat, and then every one that comes. */
  readonly watch: (options?: WatchOptions) => AsyncIterableIterator<WatchedEvent>;
  /**
   * What is told to an owner of locks and is no event: its place in a line whenever it is another (at most once a second
   * for each ticket), and each lease of which only a third is left. Locks of `acquire` tell it themselves: `onPlace`,
   * `onExpiring`.
   */
  readonly notices: (options: { readonly owner: string }) => AsyncIterableIterator<Notice>;
  /** Where the journal is now: watch from here to miss nothing after what you have read before asking. */
  readonly cursor: () => Promise<string>;
  /** Ends the agent that the client registered for itself, which frees its locks, and the connection. */
  readonly close: () => Promise<void>;
}

export interface WatchOptions extends WatchFilter {
  /** Continue after this cursor; without it, start with what happens after this call. */
  readonly after?: string;
}

export interface ClientOptions extends Introduction {
  /** What a client does by itself when a call fails and its rule allows to send it again; `false`: nothing. */
  readonly retry?: RetryOptions | false;
  /** How far reads look that say nothing about it: the latest, or what the node that is asked has folded. */
  readonly reads?: Reads;
  /** Brings its own time in tests. */
  readonly clock?: ClientClock;
  /** Where the server is, if it is another process: answers may get lost on the way, so writes get keys. */
  readonly remote?: { readonly urls: readonly string[]; readonly token?: string };
  /**
   * Over the network, in Node, leases are renewed by a thread of their own, so that a busy loop does not lose them. A loop
   * that is blocked for longer than this counts as stuck, and its leases are let go; 600,000 if not given.
   */
  readonly maxBlockedMs?: number;
}

export function createClient(bare: Transport, options: ClientOptions = {}): Client {
  const { clock = systemClientClock, retry = {}, remote, maxBlockedMs = 600_000 } = options;
  const transport = abortable(bare);
  const retrier = new Retrier(clock, retry);
  const reads = options.reads === undefined ? {} : { reads: options.reads };
  const caller = new Caller({ transport, clock, retrier, makesKeys: remote !== undefined, ...reads });
  const thread = remote === undefined ? undefined : beatThread({ maxBlockedMs, ...remote }, clock);
  return clientOf(caller, options, { closes: true, others: new Set(), thread });
}

/** What clients over one connection share. */
interface Family {
  /** Whether closing this one closes the connection, and with it all the others. */
  readonly closes: boolean;
  /** Those of them through which locks were taken. */
  readonly others: Set<LockSessions>;
  readonly thread: BeatThread | undefined;
}

function clientOf(caller: Caller, options: ClientOptions, family: Family): Client {
  const run: Run = (operation, input, call) => caller.run(operation, input, call);
  const { transport } = caller;
  const { thread, others } = family;
  // Only while there is something to close: a program may speak as any number of agents in its life.
  const onUse = (isUsed: boolean): void => {
    if (isUsed) others.add(sessions);
    else others.delete(sessions);
  };
  const sessions: LockSessions = new LockSessions(caller, options, { thread, onUse });
  const close = async (): Promise<void> => {
    const ended = (family.closes ? [...others] : [sessions]).filter((one) => !one.isUnused);
    // Without locks it closes in this very moment: whatever is sent after that is refused.
    if (ended.length > 0) await Promise.all(ended.map((one) => one.close()));
    if (!family.closes) return;
    caller.stop();
    await transport.close();
  };
  const speakingAs = (identity: Identity | undefined, more: ClientOptions, closes: boolean): Client =>
    clientOf(caller.as(identity), { ...options, ...more }, { ...family, closes });
  return {
    entities: entitiesClient(run, caller.clock),
    agents: agentsClient(run),
    locks: locksClient(run, sessions),
    planning: planningClient(run),
    audit: auditClient(run),
    journal: journalClient(run),
    tokens: tokensClient(run),
    acquire: sessions.acquire,
    retryOnDeadlock: (work, bounds) => retryOnDeadlock(sessions, caller.clock, work, bounds),
    as: ({ agent_id: agent, secret }) =>
      speakingAs(secret === undefined ? { agent } : { agent, agentSecret: secret }, {}, family.closes),
    fork: (introduction = {}) => speakingAs(undefined, introduction, false),
    execute: (operation, input, call = {}) => caller.call(operation, input, call),
    run: (operation, input, call = {}) => caller.run(operation, input, call),
    watch: (wanted = {}) => oneByOne(transport.watch(wanted)),
    notices: (wanted) => oneByOne(transport.notices(wanted)),
    cursor: () => transport.cursor(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
