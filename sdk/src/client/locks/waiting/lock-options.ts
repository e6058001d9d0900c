import { defined } from "../../../base/defined.ts";
import type { lockOperations } from "../../../contract/locks.ts";
import type { LockMode, LockPath, LockScope } from "../lock-path.ts";
import { closestWord } from "../../../base/closest-word.ts";
import { LockUsageError } from "../handle/lock-errors.ts";
import type { LeaseWarning, LockedPath, Place, ReleaseRequest } from "../handle/lock.ts";

export interface LockOptions {
  /** `write` if not given. */
  readonly mode?: LockMode;
  /** `tree` (default): the path and all below it; `self`: the record alone. */
  readonly scope?: LockScope;
  /** What it is for: whoever is denied reads it. */
  readonly purpose?: string;
  readonly note?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The lease, 1 to 86,400; 30 if not given. It is renewed by itself, so it says how soon a crash is noticed. */
  readonly ttlSeconds?: number;
  /** Ends the hold, renewed or not, after so long. */
  readonly maxHoldSeconds?: number;
  /** If the holder crashes, nobody gets it for so long: for resources that can't check a fence. */
  readonly holdOffSeconds?: number;
  /** How long to wait for it; for ever, if not given. 0 is the same as `ifAvailable`. */
  readonly waitMs?: number;
  /** Do not wait: take it or leave it. */
  readonly ifAvailable?: boolean;
  /** Ends the waiting. Once the lock is granted it does nothing. */
  readonly signal?: AbortSignal;
  /** How long a lock may stay uncertain beyond its lease, for the server to come back; 0 if not given. */
  readonly patienceMs?: number;
  /** Share what this client holds already, instead of refusing it: the last one to release frees it. */
  readonly reentrant?: boolean;
  /** Whose lock it is, if not that of the client's agent. */
  readonly ownerId?: string;
  /** Told of the place in the line: first when one is queued, then whenever it is another. */
  readonly onPlace?: (place: Place) => void;
  readonly onReleaseRequested?: (request: ReleaseRequest) => void;
  /** Told when a third of the lease is left and no renewal has reached the server. */
  readonly onExpiring?: (warning: LeaseWarning) => void;
}

/** Checked: what a request says, with what is usual filled in. */
export interface Wish extends LockOptions {
  readonly paths: readonly LockedPath[];
  readonly ttlSeconds: number;
  readonly patienceMs: number;
  /** undefined: for ever. */
  readonly waitMs?: number;
}

const usualTtlSeconds = 30;
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
  "patienceMs",
  "reentrant",
  "ownerId",
  "onPlace",
  "onReleaseRequested",
  "onExpiring",
];

/** Names from elsewhere that mean something here. */
const fromElsewhere: Readonly<Record<string, string>> = {
  timeout: "`waitMs` bounds the waiting, `ttlSeconds` is the lease, `maxHoldSeconds` bounds the hold",
  timeoutMs: "`waitMs` bounds the waiting, `ttlSeconds` is the lease, `maxHoldSeconds` bounds the hold",
  ttl: "the lease is `ttlSeconds`",
  ttlMs: "the lease is `ttlSeconds`, in whole seconds",
  wait: "it waits unless you say `ifAvailable: true` or `waitMs`",
  steal: "nobody takes a lock from its holder: ask with locks.requestRelease, or an operator uses locks.forceRelease",
  key: "a request for a lock makes its own key",
};

export function wishOf(paths: LockPath | readonly LockPath[], options: LockOptions = {}): Wish {
  checkNames(options);
  const { ttlSeconds = usualTtlSeconds, patienceMs = 0, ifAvailable, waitMs } = options;
  checkLease(ttlSeconds);
  checkNumber("maxHoldSeconds", options.maxHoldSeconds, { min: 1, max: 604_800 });
  checkNumber("holdOffSeconds", options.holdOffSeconds, { min: 1, max: 60 });
  checkNumber("waitMs", waitMs, { min: 0, max: Infinity, fractions: true });
  checkNumber("patienceMs", patienceMs, { min: 0, max: Infinity, fractions: true });
  if (ifAvailable === true && waitMs !== undefined && waitMs > 0) {
    throw new LockUsageError("`ifAvailable` does not wait and `waitMs` does: give one of them");
  }
  const wish = { ...options, paths: lockedPaths(paths, options), ttlSeconds, patienceMs };
  return ifAvailable === true ? { ...wish, waitMs: 0 } : wish;
}

export function checkLease(ttlSeconds: number | undefined): void {
  checkNumber("ttlSeconds", ttlSeconds, ttlRange);
}

function checkNames(options: LockOptions): void {
  if (typeof options !== "object")
    throw new LockUsageError("options are an object, between the paths and the callback");
  for (const name of Object.keys(options)) {
    if ((known as readonly string[]).includes(name)) continue;
    const hint = fromElsewhere[name] ?? suggestion(name);
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
  const isFit = typeof value === "number" && value >= min && value <= max && (fractions ?? Number.isInteger(value));
  if (isFit) return;
  const bounds = max === Infinity ? `at least ${min}` : `${min} to ${max}`;
  throw new LockUsageError(
    `\`${name}\` is ${String(value)}, and must be ${fractions ? "" : "a whole number, "}${bounds}`,
  );
}

function lockedPaths(given: LockPath | readonly LockPath[], usual: LockOptions): readonly LockedPath[] {
  const list: readonly LockPath[] = Array.isArray(given) ? given : [given];
  if (list.length === 0) throw new LockUsageError("there is no path to lock: give one, or a list of at least one");
  const { mode = "write", scope = "tree" } = usual;
  return list.map((one) => {
    const path = typeof one === "string" ? { path: one } : one;
    if (typeof path.path !== "string") {
      throw new LockUsageError("a path is a text such as `repo/x/src`, or `{ path, mode, scope }`");
    }
    return { mode, scope, ...path };
  });
}

/** The input of acquire-lock. */
export function acquireInput(wish: Wish, more: { readonly wait: boolean; readonly ownerId?: string | undefined }) {
  const { paths, purpose, note, metadata, maxHoldSeconds, holdOffSeconds, ttlSeconds } = wish;
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
