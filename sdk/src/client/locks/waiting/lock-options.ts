import { defined } from "../../../base/defined.ts";
import type { OperationInput } from "../../operation-output.ts";
import type { LockMode, LockPath, LockScope } from "../lock-path.ts";
import { LockUsageError } from "../handle/lock-errors.ts";
import type { RetryCause } from "../../transport/transport.ts";
import type { LeaseWarning, LockedPath, QueuePlace, ReleaseRequest } from "../handle/lock.ts";

export interface LockOptions {
  /** `write` by default. */
  readonly mode?: LockMode;
  /** `tree` (default): the path and everything below it. `self` is the record alone. */
  readonly scope?: LockScope;
  /** The purpose, shown to denied callers. */
  readonly purpose?: string;
  readonly note?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The lease, 1,000 to 86,400,000; 30,000 by default. The server counts whole seconds. The lock renews itself, so this is the time to detect a crash. */
  readonly ttlMs?: number;
  /** Maximum hold: the lock ends after this time even if it is renewed. */
  readonly maxHoldMs?: number;
  /** If the holder crashes, no owner gets the lock during this time. For resources that cannot check a fence. */
  readonly holdOffMs?: number;
  /** Ends the wait. It has no effect after the grant. */
  readonly signal?: AbortSignal;
  /** Maximum time that a lock may stay uncertain beyond its lease while the server is away; 0 by default. */
  readonly uncertainMaxMs?: number;
  /** Share a lock that this client already holds. The last release frees it. */
  readonly reentrant?: boolean;
  /** The owner of the lock, if it is not the client's agent. */
  readonly ownerId?: string;
  /** Called with the place in the queue: first when the request is queued, then on each change. */
  readonly onPlace?: (place: QueuePlace) => void;
  readonly onReleaseRequested?: (request: ReleaseRequest) => void;
  /** Called when a third of the lease is left and no renewal has reached the server. */
  readonly onExpiring?: (warning: LeaseWarning) => void;
}

export interface TryLockOptions extends LockOptions {
  /** Maximum wait; 0 by default. */
  readonly waitMs?: number;
}

export interface RequestLockOptions extends LockOptions {
  /** Maximum wait; forever by default. */
  readonly waitMs?: number;
  /** Do not wait. */
  readonly ifAvailable?: boolean;
}

/** The method of the client that takes the options. */
type LockMethod = "acquire" | "tryAcquire" | "request";

/** A checked request, with defaults filled in. */
export interface AcquireRequest extends LockOptions {
  readonly paths: readonly LockedPath[];
  readonly ttlMs: number;
  readonly uncertainMaxMs: number;
  /** undefined: forever. */
  readonly waitMs?: number;
  /** Marks the first call of the request as a retry. */
  readonly retry?: RetryCause | undefined;
}

const defaultTtlMs = 30_000;
const ttlRange = { min: 1_000, max: 86_400_000 };

const known: readonly (keyof LockOptions)[] = [
  "mode",
  "scope",
  "purpose",
  "note",
  "metadata",
  "ttlMs",
  "maxHoldMs",
  "holdOffMs",
  "signal",
  "uncertainMaxMs",
  "reentrant",
  "ownerId",
  "onPlace",
  "onReleaseRequested",
  "onExpiring",
];

/** The options of single methods. */
const ownOptions: Readonly<Record<LockMethod, readonly string[]>> = {
  acquire: [],
  tryAcquire: ["waitMs"],
  request: ["waitMs", "ifAvailable"],
};

const limits = "`tryAcquire` limits the wait with `waitMs`, `ttlMs` is the lease, `maxHoldMs` limits the hold";

/** Option names of other libraries and methods, with what they mean here. */
const foreignOptions: Readonly<Record<string, string>> = {
  timeout: limits,
  timeoutMs: limits,
  ttl: "the lease is `ttlMs`",
  ttlSeconds: "the lease is `ttlMs`, in milliseconds",
  wait: "`acquire` waits; `tryAcquire` does not, or for at most `waitMs`",
  waitMs: "`acquire` waits until it gets the lock; use `tryAcquire` to limit the wait",
  ifAvailable: "use `tryAcquire`, which returns a denial instead of waiting",
  steal: "no client can take a lock from its holder: use locks.requestRelease, or locks.forceRelease as an operator",
  key: "a lock request makes its own key",
};

export function parseLockOptions(
  paths: LockPath | readonly LockPath[],
  options: RequestLockOptions = {},
  method: LockMethod = "acquire",
): AcquireRequest {
  checkNames(options, method);
  const { ttlMs = defaultTtlMs, uncertainMaxMs = 0, ifAvailable, ...rest } = options;
  const { waitMs } = rest;
  checkLease(ttlMs);
  checkNumber("maxHoldMs", options.maxHoldMs, { min: 1_000, max: 604_800_000 });
  checkNumber("holdOffMs", options.holdOffMs, { min: 1_000, max: 60_000 });
  checkNumber("waitMs", waitMs, { min: 0, max: Infinity, fractions: true });
  checkNumber("uncertainMaxMs", uncertainMaxMs, { min: 0, max: Infinity, fractions: true });
  if (ifAvailable === true && waitMs !== undefined && waitMs > 0) {
    throw new LockUsageError("`ifAvailable` does not wait and `waitMs` does: use one of them");
  }
  const request = { ...rest, paths: lockedPaths(paths, options), ttlMs, uncertainMaxMs };
  const waitsNever = ifAvailable === true || (method === "tryAcquire" && waitMs === undefined);
  return waitsNever ? { ...request, waitMs: 0 } : request;
}

export function checkLease(ttlMs: number | undefined): void {
  checkNumber("ttlMs", ttlMs, ttlRange);
}

function checkNames(options: LockOptions, method: LockMethod): void {
  if (typeof options !== "object")
    throw new LockUsageError("options are an object, between the paths and the callback");
  const names = [...known, ...ownOptions[method]];
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    // The command line suggests the closest name. Here that search would be 300 of the 30,000 bytes of a page.
    const hint = foreignOptions[name] ?? `it is one of ${names.join(", ")}`;
    throw new LockUsageError(`there is no option \`${name}\`: ${hint}`);
  }
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly fractions?: true;
}

function checkNumber(name: string, value: number | undefined, { min, max, fractions }: Range): void {
  if (value === undefined) return;
  const isValid = typeof value === "number" && value >= min && value <= max && (fractions ?? Number.isInteger(value));
  if (isValid) return;
  const bounds = max === Infinity ? `at least ${min}` : `${min} to ${max}`;
  throw new LockUsageError(
    `\`${name}\` is ${String(value)}, but must be ${fractions ? "" : "a whole number, "}${bounds}`,
  );
}

function lockedPaths(given: LockPath | readonly LockPath[], defaults: LockOptions): readonly LockedPath[] {
  const list: readonly LockPath[] = Array.isArray(given) ? given : [given];
  if (list.length === 0) throw new LockUsageError("there is no path to lock: pass a path, or a list of at least one");
  const { mode = "write", scope = "tree" } = defaults;
  return list.map((item) => {
    const path = typeof item === "string" ? { path: item } : item;
    if (typeof path.path !== "string") {
      throw new LockUsageError("a path is a text such as `repo/x/src`, or `{ path, mode, scope }`");
    }
    return { mode, scope, ...path };
  });
}

/** The input of acquire-lock. */
export function acquireInput(
  request: AcquireRequest,
  { wait, ownerId }: { readonly wait: boolean; readonly ownerId?: string | undefined },
) {
  const { paths, purpose, note, metadata, maxHoldMs, holdOffMs, ttlMs } = request;
  const input = { paths, wait, ttlMs, maxHoldMs, holdOffMs, purpose, note, metadata, ownerId };
  return defined(input) satisfies OperationInput<"acquire-lock">;
}
