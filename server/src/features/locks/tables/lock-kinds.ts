import { defined } from "@holdfast/sdk/base/defined";
import { compareBytes, shapeOf } from "./path-fault.ts";

/** The policy of all paths of one shape. */
export interface LockKind {
  readonly name: string;
  /** Names at even places, or a first name followed by `/**` for everything below it. */
  readonly shape: string;
  /**
   * A lock with `expire` is freed at the end of the lease. One with `recover` is shown as stale, and freed only if its
   * recovery conditions hold.
   */
  readonly policy: "expire" | "recover";
  /** The default lease. Without it the caller must send one. */
  readonly ttlMs?: number;
  readonly ttlMinMs?: number;
  readonly ttlMaxMs?: number;
  /** Minimum age of the last heartbeat for a recovery. */
  readonly graceMs?: number;
  /** The rank in the global order. Kinds without one may wait in any order. */
  readonly order?: number;
}

const second = 1_000;
const workspace = {
  policy: "recover",
  ttlMs: 45 * second,
  ttlMinMs: 30 * second,
  ttlMaxMs: 60 * second,
  graceMs: 90 * second,
} as const;
const halfHour = { policy: "expire", ttlMs: 30 * 60 * second } as const;

const builtIn: readonly LockKind[] = [
  { name: "project", shape: "project", ...workspace, order: 1 },
  { name: "map", shape: "project/map", ...workspace, order: 2 },
  { name: "sketch", shape: "project/map/sketch", ...workspace, order: 3 },
  { name: "program", shape: "program", ...halfHour },
  { name: "function", shape: "program/function", ...halfHour },
  { name: "intent", shape: "intent", policy: "expire", ttlMs: 15 * second },
  { name: "repo", shape: "repo/**", ...halfHour },
];

const genericKind: LockKind = { name: "generic", shape: "**", policy: "expire" };

const byShape = new Map(builtIn.map((kind) => [kind.shape, kind]));
/** The first names of all shapes. A path with another first name is generic and needs no further look-up. */
const firstNames = new Set(builtIn.map(({ shape }) => firstName(shape)));

/** Kinds that a deployment added, by shape. They take precedence over the built-in ones. */
export type OwnKinds = Readonly<Record<string, LockKind>>;

/** A kind as an operator sets it and the event records it. */
export interface KindSettings {
  readonly shape: string;
  readonly policy: LockKind["policy"];
  readonly ttl_seconds?: number;
  readonly ttl_min_seconds?: number;
  readonly ttl_max_seconds?: number;
  readonly grace_seconds?: number;
  readonly order?: number;
}

export function kindsByShape(kinds: Readonly<Record<string, KindSettings>>): OwnKinds {
  const ms = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * second);
  return Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      kind.shape,
      defined({
        name,
        shape: kind.shape,
        policy: kind.policy,
        ttlMs: ms(kind.ttl_seconds),
        ttlMinMs: ms(kind.ttl_min_seconds),
        ttlMaxMs: ms(kind.ttl_max_seconds),
        graceMs: ms(kind.grace_seconds),
        order: kind.order,
      }),
    ]),
  );
}

export function kindOf(path: string, own: OwnKinds | undefined): LockKind {
  const first = firstName(path);
  if (own === undefined && !firstNames.has(first)) return genericKind;
  const shape = shapeOf(path);
  const deep = `${first}/**`;
  const exact = shape === undefined ? undefined : (ownKind(own, shape) ?? byShape.get(shape));
  return exact ?? ownKind(own, deep) ?? byShape.get(deep) ?? genericKind;
}

function ownKind(own: OwnKinds | undefined, shape: string): LockKind | undefined {
  return own !== undefined && Object.hasOwn(own, shape) ? own[shape] : undefined;
}

function firstName(path: string): string {
  const slash = path.indexOf("/");
  return slash < 0 ? path : path.slice(0, slash);
}

/**
 * Sorts paths for sets and for waiting: by the rank of their kinds, then by id as bytes. Kinds without a rank come
 * last.
 */
export function compareInOrder(a: Ordered, b: Ordered): number {
  return (a.kind.order ?? 1_000) - (b.kind.order ?? 1_000) || compareBytes(a.path, b.path);
}

interface Ordered {
  readonly path: string;
  readonly kind: LockKind;
}
