import { defined } from "@holdfast/sdk/base/defined";
import type { InputOf, lockOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { measure } from "@holdfast/sdk/json/measure";
import type { StateReader } from "../../../machine/state.ts";
import { compareInOrder } from "../tables/lock-kinds.ts";
import type { LockKind } from "../tables/lock-kinds.ts";
import { pathFault } from "../tables/path-fault.ts";
import type { RequestTerms } from "../tables/lock-tables.ts";
import { strength } from "../tables/modes.ts";
import type { PathLock, Mode, Scope } from "../tables/modes.ts";
import { isRefused, refused } from "./owner.ts";
import { kindAt, lockLimits } from "../tables/settings.ts";

type AcquireInput = InputOf<(typeof lockOperations)["acquire-lock"]>;

/** A requested path with its kind. */
export interface WantedPath extends PathLock {
  readonly kind: LockKind;
}

/** The paths of a request in the global order, without repeats. The strongest mode and the widest scope win. */
export function wantedPaths(input: AcquireInput, { state }: DecideContext): readonly WantedPath[] | Decision {
  const { mode = "write", scope = "tree" } = input;
  const [only] = input.paths;
  if (input.paths.length === 1 && only !== undefined) {
    const wanted = wantedPath(state, only, { mode, scope });
    return isRefused(wanted) ? wanted : [wanted];
  }
  const byPath = new Map<string, WantedPath>();
  for (const given of input.paths) {
    const wanted = wantedPath(state, given, { mode, scope });
    if (isRefused(wanted)) return wanted;
    const known = byPath.get(wanted.path);
    byPath.set(wanted.path, known === undefined ? wanted : stronger(known, wanted));
  }
  return [...byPath.values()].sort(compareInOrder);
}

type GivenPath = string | { readonly path: string; readonly mode?: Mode; readonly scope?: Scope };

function wantedPath(
  state: StateReader,
  given: GivenPath,
  defaults: { mode: Mode; scope: Scope },
): WantedPath | Decision {
  const path = typeof given === "string" ? given : given.path;
  const { mode = defaults.mode, scope = defaults.scope } = typeof given === "string" ? defaults : given;
  const reason = pathFault(path);
  if (reason !== undefined) return refused("path_invalid", { path, reason });
  return { path, mode, scope, kind: kindAt(state, path) };
}

function stronger(a: WantedPath, b: WantedPath): WantedPath {
  const mode = strength[a.mode] >= strength[b.mode] ? a.mode : b.mode;
  return { ...a, mode, scope: a.scope === "tree" ? a.scope : b.scope };
}

/** The terms of a request, or its refusal if the kinds of its paths do not allow them. */
export function termsOf(input: AcquireInput, paths: readonly WantedPath[]): RequestTerms | Decision {
  const ttlMs = leaseOf(input.ttl_seconds, paths);
  if (typeof ttlMs !== "number") return ttlMs;
  const tooLarge = termsTooLarge(input as CarriedTerms, "/metadata");
  if (tooLarge !== undefined) return tooLarge;
  return {
    ttlMs,
    maxHoldMs: millisecondsOf(input.max_hold_seconds),
    holdOffMs: millisecondsOf(input.hold_off_seconds),
    purpose: input.purpose,
    note: input.note,
    metadata: input.metadata as JsonObject | undefined,
  };
}

/** The terms that a lock carries for its readers. */
type CarriedTerms = Pick<RequestTerms, "purpose" | "note" | "metadata">;

/** Refuses terms that are too large together. Purpose and note alone are always small enough. */
export function termsTooLarge({ purpose, note, metadata }: CarriedTerms, pointer: string): Decision | undefined {
  if (metadata === undefined) return undefined;
  const { termsBytesMax: bytesMax } = lockLimits;
  const carried = defined({ purpose, note, metadata });
  if (measure(carried, { bytesMax, depthMax: Infinity, membersMax: Infinity }).ok) return undefined;
  const message = `must be smaller: metadata, purpose and note have at most ${String(bytesMax)} bytes of JSON together`;
  return refused("input_invalid", { issues: [{ pointer, message }] });
}

function millisecondsOf(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

/** The lease in milliseconds: the requested one if the kinds allow it, otherwise the shortest default of the kinds. */
export function leaseOf(seconds: number | undefined, paths: readonly { readonly kind: LockKind }[]): number | Decision {
  let defaultMs = Infinity;
  for (const { kind } of paths) {
    const { ttlMinMs = 0, ttlMaxMs = Infinity, ttlMs = Infinity } = kind;
    defaultMs = Math.min(defaultMs, ttlMs);
    if (seconds !== undefined && (seconds * 1000 < ttlMinMs || seconds * 1000 > ttlMaxMs)) {
      return invalidLease(`must be ${String(ttlMinMs / 1000)} to ${String(ttlMaxMs / 1000)} for a ${kind.name}`);
    }
  }
  if (seconds !== undefined) return seconds * 1000;
  return defaultMs === Infinity ? invalidLease("is required: paths of this kind have no default lease") : defaultMs;
}

function invalidLease(message: string): Decision {
  return refused("input_invalid", { issues: [{ pointer: "/ttl_seconds", message }] });
}
