import { defined } from "../../../base/defined.ts";
import type { lockOperations } from "../../../contract/locks.ts";
import type { LockMode, LockPath, LockScope } from "../lock-path.ts";
import { closestWord } from "../../../base/closest-word.ts";
import { LockUsageError } from "../handle/lock-errors.ts";
import type { RetryCause } from "../../transport.ts";
import type { LeaseWarning, LockedPath, QueuePlace, ReleaseRequest } from "../handle/lock.ts";

export interface LockOptions {
  /** `write` by default. */
  readonly mode?: LockMode;
  /** `tree` (default): the path and everything below it. `self`: the record alone. */
  readonly scope?: LockScope;
  /** The purpose, shown to denied callers. */
  readonly purpose?: string;
  readonly note?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The lease, 1 to 86,400; 30 by default. The lock renews itself, so this is the time to detect a crash. */
  readonly ttlSeconds?: number;
  /** Maximum hold: the lock ends after this time even if it is renewed. */
  readonly maxHoldSeconds?: number;
  /** If the holder crashes, no owner gets the lock during this time. For resources that cannot check a fence. */
  readonly holdOffSeconds?: number;
  /** Maximum wait; forever by default. 0 is the same as `ifAvailable`. */
  readonly waitMs?: number;
  /** Do not wait. */
  readonly ifAvailable?: boolean;
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

/** A checked request, with defaults filled in. */
export interface AcquireRequest extends LockOptions {
  readonly paths: readonly LockedPath[];
  readonly ttlSeconds: number;
  readonly uncertainMaxMs: number;
  /** undefined: forever. */
  readonly waitMs?: number;
  /** Marks the first call of the request as a retry. */
  readonly retry?: RetryCause | undefined;
}

const defaultTtlSeconds = 30;
const ttlRange = { min: 1, max: 86_400 };

const known: readonly (keyof LockOptions)[] = [
  "mode",
  "scope",
  "purpose",
  "note",
  "metadata",
  "ttlSeconds",
  "maxHoldSeconds",
  "holdOffSeconds",
  "waitMs",
  "ifAvailable",
  "signal",
  "uncertainMaxMs",
  "reentrant",
  "ownerId",
  "onPlace",
  "onReleaseRequested",
  "onExpiring",
];

/** Option names of other libraries, with what they mean here. */
const foreignOptions: Readonly<Record<string, string>> = {
  timeout: "`waitMs` limits the wait, `ttlSeconds` is the lease, `maxHoldSeconds` limits the hold",
  timeoutMs: "`waitMs` limits the wait, `ttlSeconds` is the lease, `maxHoldSeconds` limits the hold",
  ttl: "the lease is `ttlSeconds`",
  ttlMs: "the lease is `ttlSeconds`, in whole seconds",
  wait: "the client waits unless you set `ifAvailable: true` or `waitMs`",
  steal: "no client can take a lock from its holder: use locks.requestRelease, or locks.forceRelease as an operator",
  key: "a lock request makes its own key",
};

export function parseLockOptions(paths: LockPath | readonly LockPath[], options: LockOptions = {}): AcquireRequest {
  checkNames(options);
  const { ttlSeconds = defaultTtlSeconds, uncertainMaxMs = 0, ifAvailable, waitMs } = options;
  checkLease(ttlSeconds);
  checkNumber("maxHoldSeconds", options.maxHoldSeconds, { min: 1, max: 604_800 });
  checkNumber("holdOffSeconds", options.holdOffSeconds, { min: 1, max: 60 });
  checkNumber("waitMs", waitMs, { min: 0, max: Infinity, fractions: true });
  checkNumber("uncertainMaxMs", uncertainMaxMs, { min: 0, max: Infinity, fractions: true });
  if (ifAvailable === true && waitMs !== undefined && waitMs > 0) {
    throw new LockUsageError("`ifAvailable` does not wait and `waitMs` does: use one of them");
  }
  const request = { ...options, paths: lockedPaths(paths, options), ttlSeconds, uncertainMaxMs };
  return ifAvailable === true ? { ...request, waitMs: 0 } : request;
}

export function checkLease(ttlSeconds: number | undefined): void {
  checkNumber("ttlSeconds", ttlSeconds, ttlRange);
}

function checkNames(options: LockOptions): void {
  if (typeof options !== "object")
    throw new LockUsageError("options are an object, between the paths and the callback");
  for (const name of Object.keys(options)) {
    if ((known as readonly string[]).includes(name)) continue;
    const hint = foreignOptions[name] ?? suggestion(name);
    throw new LockUsageError(`there is no option \`${name}\`: ${hint}`);
  }
}

function suggestion(name: string): string {
  const meant = closestWord(name, known);
  return meant === undefined ? `it is one of ${known.join(", ")}` : `did you mean \`${meant}\`?`;
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
  more: { readonly wait: boolean; readonly ownerId?: string | undefined },
) {
  const { paths, purpose, note, metadata, maxHoldSeconds, holdOffSeconds, ttlSeconds } = request;
  const input = {
    paths,
    wait: more.wait,
    ttl_seconds: ttlSeconds,
    max_hold_seconds: maxHoldSeconds,
    hold_off_seconds: holdOffSeconds,
    ...{ purpose, note, metadata },
    owner_id: more.ownerId,
  };
  return defined(input) satisfies Partial<
    Record<keyof (typeof lockOperations)["acquire-lock"]["input"]["properties"], unknown>
  >;
}
