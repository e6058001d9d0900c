/** Looks up keys in the stored part of the index. Only keys that the filter cannot exclude are queried. */
import type { SqliteIndexStore } from "../index-store.ts";
import type { IndexThread } from "./index-thread.ts";

/** Number of queried keys before the thread makes a filter. A short program needs none. */
const queriedKeysBeforeFilter = 4_096;

/** Returns by key scope the position of the entry that used the key first. Undefined if the store holds none of the keys. */
type FindStoredKeys = (scopes: readonly string[]) => ReadonlyMap<string, number> | undefined;

export function createStoredKeys(store: SqliteIndexStore, thread: IndexThread): FindStoredKeys {
  let queriedKeys = 0;
  return (scopes) => {
    if (store.complete().position === 0) return undefined;
    const filter = thread.filter();
    const possible = filter === undefined ? scopes : scopes.filter((scope) => filter.mayHold(scope));
    if (possible.length === 0) return undefined;
    queriedKeys += possible.length;
    if (queriedKeys >= queriedKeysBeforeFilter) {
      queriedKeys = 0;
      thread.start();
    }
    const found = new Map<string, number>();
    for (const [index, position] of store.findKeys(possible).entries()) {
      const scope = possible[index];
      if (position !== undefined && scope !== undefined) found.set(scope, position);
    }
    return found;
  };
}
