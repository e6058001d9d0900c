import type { LockedPath } from "../handle/lock.ts";

/**
 * The identity of a set of paths. It contains each path once with its widest scope, regardless of order and mode, as
 * the server compares sets. An owner that requests a set that it holds or waits for gets the same grant or the same
 * ticket.
 */
export function pathSetOf(paths: readonly LockedPath[]): string {
  const [only] = paths;
  if (paths.length === 1 && only !== undefined) return nameOf(only.path, only.scope);
  const names = [...scopesOf(paths)].map(([path, scope]) => nameOf(path, scope));
  return names.sort().join("\n");
}

/** Each path once. The widest scope wins, as at the server. */
export function scopesOf(paths: readonly LockedPath[]): ReadonlyMap<string, LockedPath["scope"]> {
  const scopes = new Map<string, LockedPath["scope"]>();
  for (const { path, scope } of paths) if (scopes.get(path) !== "tree") scopes.set(path, scope);
  return scopes;
}

const nameOf = (path: string, scope: LockedPath["scope"]): string => `${scope} ${path}`;
