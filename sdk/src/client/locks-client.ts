import type { DalLock, LockRow, LockStatus, PastLockStatus, TicketStatus, Wait } from "../contract/lock-views.ts";
import type { Grant, Granted, Queued } from "../contract/locks.ts";
import { HoldfastError } from "./holdfast-error.ts";
import type { LockMode, LockPath, LockScope } from "./locks/lock-path.ts";
import type { RequestLock } from "./locks/waiting/request.ts";
import type { Page, Run } from "./entities-client.ts";
import type { CallOptions } from "./transport.ts";

/** The owner of the lock, if it is not the calling agent. */
export interface OwnerOptions extends CallOptions {
  readonly ownerId?: string;
}

export interface AcquireOptions extends OwnerOptions {
  readonly mode?: LockMode;
  readonly scope?: LockScope;
  /** Queue the request if the lock is not free. */
  readonly wait?: boolean;
  readonly ttlSeconds?: number;
  readonly maxHoldSeconds?: number;
  /** If the holder crashes, no owner gets the lock during this time. For resources that cannot check a fence. */
  readonly holdOffSeconds?: number;
  readonly ticketSeconds?: number;
  readonly purpose?: string;
  readonly note?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The blockers, as data. */
export interface Denied {
  readonly granted: false;
  readonly denied: true;
  readonly [detail: string]: unknown;
}

/** A held lock, by its fence or by a path that the owner holds. */
export type Held = { readonly fence: string } | { readonly path: string };

/**
 * Locks. Programs use `request`, or `acquire` of the client: both wait, renew and release. The others are the raw
 * operations, for programs that keep leases and tickets alive themselves.
 */
export interface LocksClient {
  /** Runs a callback under a lock: `locks.request("repo/x/src", { mode: "read" }, async (lock) => { … })`. */
  readonly request: RequestLock;
  /** Acquires one path or a set. Returns a grant, or a ticket with `wait`. A denial is thrown. */
  acquire(paths: LockPath | readonly LockPath[], options?: AcquireOptions): Promise<Granted | Queued>;
  /** The same, with a denial as a value. */
  tryAcquire(paths: LockPath | readonly LockPath[], options?: AcquireOptions): Promise<Granted | Queued | Denied>;
  release(
    what: { readonly fence: string } | { readonly paths: readonly string[]; readonly fence?: string },
    options?: OwnerOptions & { readonly note?: string },
  ): Promise<{ readonly released: readonly string[] }>;
  renew(held: Held, options?: OwnerOptions & { readonly ttlSeconds?: number; readonly note?: string }): Promise<Grant>;
  upgrade(held: Held, options?: OwnerOptions & { readonly wait?: boolean }): Promise<Granted | Queued>;
  downgrade(held: Held, mode: LockMode, options?: OwnerOptions): Promise<Grant>;
  transfer(held: Held, to: string, options?: OwnerOptions): Promise<Grant>;
  requestRelease(path: string, reason: string, options?: OwnerOptions): Promise<{ readonly asked: readonly string[] }>;
  /** Renews the ticket, or accepts its grant. */
  accept(ticket: string, options?: OwnerOptions): Promise<Granted | Queued>;
  cancel(ticket: string, options?: OwnerOptions): Promise<{ readonly cancelled: string } | Granted>;
  ticket(ticket: string): Promise<TicketStatus>;
  status(path: string, query?: { readonly limit?: number }): Promise<LockStatus>;
  /** The holders of a path and of its ancestors after a position. */
  statusAt(path: string, position: number, query?: { readonly limit?: number }): Promise<PastLockStatus>;
  list(query?: {
    readonly under?: string;
    readonly after?: string;
    readonly limit?: number;
  }): Promise<Page<LockRow, string>>;
  records(query?: {
    readonly ownerId?: string;
    readonly after?: string;
    readonly limit?: number;
  }): Promise<Page<DalLock, string>>;
  waits(page?: { readonly after?: string; readonly limit?: number }): Promise<Page<Wait, string>>;
  history(path: string, page?: { readonly before?: number; readonly limit?: number }): Promise<Page<unknown, number>>;
  checkFence(
    path: string,
    fence: string,
    mode?: LockMode,
  ): Promise<{ readonly valid: boolean; readonly reason: string | null }>;
  /**
   * For operators: frees exactly this grant, if its recovery conditions hold. `override` is a separate, separately
   * audited verb.
   */
  forceRelease(
    fence: string,
    reason: string,
    options?: CallOptions & { readonly override?: boolean },
  ): Promise<unknown>;
}

export function locksClient(run: Run, { request }: Pick<LocksClient, "request">): LocksClient {
  // Not async functions: `run` returns a promise, and each further one would delay every call.
  const send = <Answer>(operation: string, input: object, { ownerId, ...call }: OwnerOptions = {}): Promise<Answer> =>
    run(operation, { ...input, owner_id: ownerId }, call) as Promise<Answer>;
  const acquire: LocksClient["acquire"] = (paths, options = {}) => {
    const { mode, scope, wait, purpose, note, metadata, ownerId, ...others } = options;
    const { ttlSeconds, maxHoldSeconds, holdOffSeconds, ticketSeconds, ...call } = others;
    const input = {
      paths: isList(paths) ? paths : [paths],
      mode,
      scope,
      wait,
      purpose,
      note,
      metadata,
      ttl_seconds: ttlSeconds,
      max_hold_seconds: maxHoldSeconds,
      hold_off_seconds: holdOffSeconds,
      ticket_seconds: ticketSeconds,
      owner_id: ownerId,
    };
    return run("acquire-lock", input, call) as Promise<Granted | Queued>;
  };
  return {
    request,
    acquire,
    tryAcquire: (paths, options) => acquire(paths, options).catch(deniedAsValue),
    release: (what, { note, ...options } = {}) => send("release-lock", { ...what, note }, options),
    renew: (held, { ttlSeconds, note, ...options } = {}) =>
      send("renew-lock", { ...held, ttl_seconds: ttlSeconds, note }, options),
    upgrade: (held, { wait, ...options } = {}) => send("upgrade-lock", { ...held, wait }, options),
    downgrade: (held, mode, options) => send("downgrade-lock", { ...held, mode }, options),
    transfer: (held, to, options) => send("transfer-lock", { ...held, to }, options),
    requestRelease: (path, reason, options) => send("request-release", { path, reason }, options),
    accept: (ticket, options) => send("accept-lock", { ticket }, options),
    cancel: (ticket, options) => send("cancel-ticket", { ticket }, options),
    ...lockReads(run),
    forceRelease: (fence, reason, { override = false, ...call } = {}) =>
      run(override ? "override-release" : "force-release", { fence, reason }, call),
  };
}

type Reads = "ticket" | "status" | "statusAt" | "list" | "records" | "waits" | "history" | "checkFence";

function lockReads(run: Run): Pick<LocksClient, Reads> {
  return {
    ticket: async (ticket) => (await run("get-ticket", { ticket }, {})) as TicketStatus,
    status: async (path, query) => (await run("get-lock", { path, ...query }, {})) as LockStatus,
    statusAt: async (path, position, query) =>
      (await run("get-lock", { path, position, ...query }, {})) as PastLockStatus,
    list: async (query) => (await run("list-locks", { ...query }, {})) as Page<LockRow, string>,
    records: async ({ ownerId, ...page } = {}) =>
      (await run("list-locks", { view: "dal_locks", owner_id: ownerId, ...page }, {})) as Page<DalLock, string>,
    waits: async (page) => (await run("list-waits", { ...page }, {})) as Page<Wait, string>,
    history: async (path, page) => (await run("list-lock-history", { path, ...page }, {})) as Page<unknown, number>,
    checkFence: async (path, fence, mode) =>
      (await run("check-fence", { path, fence, mode }, {})) as { valid: boolean; reason: string | null },
  };
}

function isList(paths: LockPath | readonly LockPath[]): paths is readonly LockPath[] {
  return Array.isArray(paths);
}

function deniedAsValue(error: unknown): Denied {
  if (error instanceof HoldfastError && error.code === "lock_denied")
    return { ...error.data, granted: false, denied: true };
  throw error;
}
