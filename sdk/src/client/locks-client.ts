import type {
  DalLock,
  Grant,
  Granted,
  LockRow,
  LockStatus,
  OperationInput,
  OperationOutput,
  PastLockStatus,
  Queued,
  TicketStatus,
  Wait,
} from "./operation-output.ts";
import type { LockMode } from "./locks/lock-path.ts";
import type { RequestLock } from "./locks/waiting/request.ts";
import type { Page, Run } from "./entities-client.ts";
import type { CallOptions } from "./transport/transport.ts";

/** The owner of the lock, if it is not the calling agent. */
export interface OwnerOptions extends CallOptions {
  readonly ownerId?: string;
}

/** A held lock, by its fence or by a path that the owner holds. */
export type Held = { readonly fence: string } | { readonly path: string };

/**
 * Locks. Programs use `request`, or `acquire` of the client: both wait, renew and release. The others are operations on
 * locks that a program keeps alive itself, see `client.operations.acquireLock`.
 */
export interface LocksClient {
  /** Runs a callback under a lock: `locks.request("repo/x/src", { mode: "read" }, async (lock) => { … })`. */
  readonly request: RequestLock;
  release(
    what: { readonly fence: string } | { readonly paths: readonly string[]; readonly fence?: string },
    options?: OwnerOptions & { readonly note?: string },
  ): Promise<OperationOutput<"release-lock">>;
  renew(held: Held, options?: OwnerOptions & { readonly ttlMs?: number; readonly note?: string }): Promise<Grant>;
  upgrade(held: Held, options?: OwnerOptions & { readonly wait?: boolean }): Promise<Granted | Queued>;
  downgrade(held: Held, mode: LockMode, options?: OwnerOptions): Promise<Grant>;
  transfer(held: Held, to: string, options?: OwnerOptions): Promise<Grant>;
  requestRelease(path: string, reason: string, options?: OwnerOptions): Promise<OperationOutput<"request-release">>;
  /** Renews the ticket, or accepts its grant. */
  accept(ticket: string, options?: OwnerOptions): Promise<Granted | Queued>;
  cancel(ticket: string, options?: OwnerOptions): Promise<OperationOutput<"cancel-ticket">>;
  ticket(ticket: string): Promise<TicketStatus>;
  status(path: string, query?: { readonly limit?: number }): Promise<LockStatus>;
  /** The holders of a path and of its ancestors after a position. */
  statusAt(path: string, position: number, query?: { readonly limit?: number }): Promise<PastLockStatus>;
  list(query?: Omit<OperationInput<"list-locks">, "view" | "ownerId">): Promise<Page<LockRow, string>>;
  records(query?: Omit<OperationInput<"list-locks">, "view">): Promise<Page<DalLock, string>>;
  waits(page?: OperationInput<"list-waits">): Promise<Page<Wait, string>>;
  history(
    path: string,
    page?: Omit<OperationInput<"list-lock-history">, "path">,
  ): Promise<OperationOutput<"list-lock-history">>;
  checkFence(path: string, fence: string, mode?: LockMode): Promise<OperationOutput<"check-fence">>;
  /**
   * For operators: frees exactly this grant, if its recovery conditions hold. `override` is a separate, separately
   * audited verb.
   */
  forceRelease(
    fence: string,
    reason: string,
    options?: CallOptions & { readonly override?: boolean },
  ): Promise<OperationOutput<"force-release">>;
}

export function locksClient(run: Run, { request }: Pick<LocksClient, "request">): LocksClient {
  // Not async functions: `run` returns a promise, and each further one would delay every call.
  const send = <Answer>(operation: string, input: object, { ownerId, ...call }: OwnerOptions = {}): Promise<Answer> =>
    run(operation, { ...input, ownerId }, call) as Promise<Answer>;
  return {
    request,
    release: (what, { note, ...options } = {}) => send("release-lock", { ...what, note }, options),
    renew: (held, { ttlMs, note, ...options } = {}) => send("renew-lock", { ...held, ttlMs, note }, options),
    upgrade: (held, { wait, ...options } = {}) => send("upgrade-lock", { ...held, wait }, options),
    downgrade: (held, mode, options) => send("downgrade-lock", { ...held, mode }, options),
    transfer: (held, to, options) => send("transfer-lock", { ...held, to }, options),
    requestRelease: (path, reason, options) => send("request-release", { path, reason }, options),
    accept: (ticket, options) => send("accept-lock", { ticket }, options),
    cancel: (ticket, options) => send("cancel-ticket", { ticket }, options),
    ...lockReads(run),
    forceRelease: (fence, reason, { override = false, ...call } = {}) =>
      send(override ? "override-release" : "force-release", { fence, reason }, call),
  };
}

type LockReads = "ticket" | "status" | "statusAt" | "list" | "records" | "waits" | "history" | "checkFence";

function lockReads(run: Run): Pick<LocksClient, LockReads> {
  const read = <Answer>(operation: string, input: object): Promise<Answer> =>
    run(operation, input, {}) as Promise<Answer>;
  return {
    ticket: (ticket) => read("get-ticket", { ticket }),
    status: (path, query) => read("get-lock", { path, ...query }),
    statusAt: (path, position, query) => read("get-lock", { path, position, ...query }),
    list: (query) => read("list-locks", { ...query }),
    records: (query) => read("list-locks", { view: "dal_locks", ...query }),
    waits: (page) => read("list-waits", { ...page }),
    history: (path, page) => read("list-lock-history", { path, ...page }),
    checkFence: (path, fence, mode) => read("check-fence", { path, fence, mode }),
  };
}
