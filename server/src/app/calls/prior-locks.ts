import type { Engine } from "../../engine/engine.ts";
import { lockSubject } from "../../features/locks/tables/lock-events.ts";
import { previousLock, positionOf } from "../../features/locks/views/previous-lock.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";

/** A grant as replies describe it. */
export interface DescribedGrant {
  readonly fence: string;
  readonly paths: readonly { readonly path: string }[];
}

/** Maximum paths of a set that are looked up. The contract documents it. */
const pathsMax = 20;
/** Entries per read of a path's history. Their sum is the maximum depth, which the contract documents. */
const pageSizes = [2, 18, 80, 900] as const;

/** How the previous lock on each path of a grant ended. It is read from the history, since a free lock has no row. */
export async function priorLocks(engine: Engine, { fence, paths }: DescribedGrant): Promise<readonly JsonObject[]> {
  const locks: JsonObject[] = [];
  for (const { path } of paths.slice(0, pathsMax)) {
    const found = await priorLockAt(engine, path, fence);
    if (found !== undefined) locks.push(found);
  }
  return locks;
}

/**
 * The same without a read, if the history is in memory, as for frequently used locks. A grant must not wait for recent
 * history. Undefined if a read is needed.
 */
export function recentPriorLocks(engine: Engine, { fence, paths }: DescribedGrant): readonly JsonObject[] | undefined {
  if (paths.length > pathsMax) return undefined;
  const locks: JsonObject[] = [];
  const [limit] = pageSizes;
  const before = positionOf(fence) + 1;
  for (const { path } of paths) {
    const entries = engine.recentEntriesAbout({ subject: lockSubject(path), before, order: "newest-first", limit });
    if (entries === undefined) return undefined;
    const found = previousLock(path, entries, fence);
    if (found !== undefined) locks.push(found);
    else if (entries.length === limit) return undefined;
  }
  return locks;
}

/** Usually the end is in the entry before the grant, or in the grant's own entry. So the first read is small. */
async function priorLockAt(engine: Engine, path: string, fence: string): Promise<JsonObject | undefined> {
  const subject = lockSubject(path);
  let before = positionOf(fence) + 1;
  for (const limit of pageSizes) {
    const entries = await engine.entriesAbout({ subject, before, order: "newest-first", limit });
    const found = previousLock(path, entries, fence);
    if (found !== undefined || entries.length < limit) return found;
    before = entries.at(-1)?.position ?? 0;
  }
  return undefined;
}
