import type { Engine } from "../../engine/engine.ts";
import { lockSubject } from "../../features/locks/tables/lock-events.ts";
import { previousLock, positionOf } from "../../features/locks/views/previous-lock.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";

/** A grant as replies describe it. */
export interface Described {
  readonly fence: string;
  readonly paths: readonly { readonly path: string }[];
}

/** Maximum paths of a set that are looked up, and the depth of each one's history. The contract documents both. */
const pathsMax = 20;
const pageSizes = [2, 18, 80, 900] as const;

/** How the previous lock on each path of a grant ended. A free lock has only its history. */
export async function howLeft(engine: Engine, { fence, paths }: Described): Promise<readonly JsonObject[]> {
  const left: JsonObject[] = [];
  for (const { path } of paths.slice(0, pathsMax)) {
    const found = await pathLeft(engine, path, fence);
    if (found !== undefined) left.push(found);
  }
  return left;
}

/**
 * The same without waiting, if it is in memory, as for frequently used locks: a grant must not wait for recent history.
 */
export function howLeftNow(engine: Engine, { fence, paths }: Described): readonly JsonObject[] | undefined {
  if (paths.length > pathsMax) return undefined;
  const left: JsonObject[] = [];
  const [limit] = pageSizes;
  const before = positionOf(fence) + 1;
  for (const { path } of paths) {
    const entries = engine.recentEntriesAbout({ subject: lockSubject(path), before, order: "newest-first", limit });
    if (entries === undefined) return undefined;
    const found = previousLock(path, entries, fence);
    if (found !== undefined) left.push(found);
    else if (entries.length === limit) return undefined;
  }
  return left;
}

/** Usually it is in the entry before the grant or in the grant's own, so little is read first. */
async function pathLeft(engine: Engine, path: string, fence: string): Promise<JsonObject | undefined> {
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
