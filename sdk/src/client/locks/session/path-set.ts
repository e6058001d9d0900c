import type { LockedPath } from "../handle/lock.ts";

/**
 * Names a set of paths as the server tells sets apart: each path once, the wider scope wins, in whatever order and modes.
 * An owner that asks for a set that it holds, or waits for, is answered with the same grant or the same ticket.
 */
export function setOf(paths: readonly LockedPath[]): string {
  const [only] = paths;
  if (paths.length === 1 && only !== undefined) return nameOf(only.path, only.scope);
  const names = [...scopesOf(paths)].map(([path, scope]) => nameOf(path, scope));
  return names.sort().join("\n");
}

/** Each path once; the widest scope wins, as it does at the server. */
export function scopesOf(paths: readonly LockedPath[]): ReadonlyMap<string, LockedPath["scope"]> {
  const scopes = new Map<string, LockedPath["scope"]>();
  for (const { path, scope } of paths) if (scopes.get(path) !== "tree") scopes.set(path, scope);
  return scopes;
}

const nameOf = (path: string, scope: LockedPath["scope"]): string => `${scope} ${path}`;
