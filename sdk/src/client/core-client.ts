import type { AgentsClient } from "./agents-client.ts";
import type { AuditClient, JournalClient } from "./audit-client.ts";
import type { OwnerNotice, WireInput, WireOutput } from "./operation-output.ts";
import type { EntitiesClient } from "./entities-client.ts";
import type { DeniedLock, Lock } from "./locks/handle/lock.ts";
import type { LockOptions, TryLockOptions } from "./locks/waiting/lock-options.ts";
import type { LockPaths } from "./locks/lock-path.ts";
import type { AgentIntroduction } from "./locks/session/session-agent.ts";
import type { LocksClient } from "./locks-client.ts";
import type { DeadlockRetryOptions, DeadlockAttempt } from "./locks/waiting/retry-on-deadlock.ts";
import type { CallOptions, CallReply, WatchedEvent } from "./transport/transport.ts";
import type { TokensClient } from "./tokens-client.ts";
import type { OperationsClient } from "./operations-client.ts";
import type { OperationName } from "../contract/all-operations.ts";
import type { WatchFilter } from "../contract/watch-filter.ts";

/** The client without the clients of its packs, which use it. Its functions need no `this`. */
export interface CoreClient extends AsyncDisposable {
  readonly entities: EntitiesClient;
  readonly agents: AgentsClient;
  readonly locks: LocksClient;
  readonly audit: AuditClient;
  readonly journal: JournalClient;
  readonly tokens: TokensClient;
  /**
   * Acquires a lock on one path or on a set, all or nothing, and waits for it. The lock renews itself and is released
   * at the end of the scope: `await using lock = await client.acquire("repo/x/src")`. A client without an agent
   * registers one first.
   */
  readonly acquire: (paths: LockPaths, options?: LockOptions) => Promise<Lock>;
  /** The same without waiting, or with a maximum wait. A denial is a value: it names the holders. */
  readonly tryAcquire: (paths: LockPaths, options?: TryLockOptions) => Promise<Lock | DeniedLock>;
  /**
   * Runs work that acquires several locks, and retries it after a deadlock. Locks that it acquired through the argument
   * are released in between. After three attempts it throws a DeadlockError.
   */
  readonly retryOnDeadlock: <Result>(
    work: (attempt: DeadlockAttempt) => Promise<Result>,
    options?: DeadlockRetryOptions,
  ) => Promise<Result>;
  /** The same client with the identity of a registered agent. */
  readonly as: (agent: AgentIdentity) => CoreClient;
  /**
   * A client with its own agent over the same connection. Locks of the two exclude each other. Closing it ends its
   * agent and leaves the connection open.
   */
  readonly agent: (introduction?: AgentIntroduction) => CoreClient;
  /** Every operation of the contract as it is, packs included. It neither waits nor renews. */
  readonly operations: OperationsClient;
  /**
   * Runs any operation by name, also those of kinds, and returns its outcome as a value, refusals included. Input and
   * outcome have the members of the wire, in snake_case.
   */
  readonly execute: (operation: string, input: unknown, options?: CallOptions) => Promise<CallReply>;
  /** The same. A refusal is thrown as a HoldfastError. */
  readonly run: RunOperation;
  /** All events after a cursor, without gap or repeat, and then new ones as they happen. */
  readonly watch: (options?: WatchOptions) => AsyncIterableIterator<WatchedEvent>;
  /**
   * Push messages to an owner that are not events. One reports a changed place in the queue, at most once a second per
   * ticket. Another reports a lease of which a third is left. Locks of `acquire` report both: `onPlace`, `onExpiring`.
   * Notices of packs have words of their own.
   */
  readonly notices: (options: { readonly owner: string }) => AsyncIterableIterator<OwnerNotice>;
  /** The cursor of the journal's head. A watch from here misses nothing after earlier reads. */
  readonly cursor: () => Promise<string>;
  /** Ends the agent that the client registered, which frees its locks, and closes the connection. */
  readonly close: () => Promise<void>;
}

/** A registered agent, as its registration returned it. */
export interface AgentIdentity {
  readonly agentId: string;
  readonly secret?: string;
}

export interface RunOperation {
  <Name extends OperationName>(
    operation: Name,
    input: WireInput<Name>,
    options?: CallOptions,
  ): Promise<WireOutput<Name>>;
  (operation: string, input: unknown, options?: CallOptions): Promise<unknown>;
}

export interface WatchOptions extends WatchFilter {
  /** Continue after this cursor. Without it, start with events after this call. */
  readonly after?: string;
}
