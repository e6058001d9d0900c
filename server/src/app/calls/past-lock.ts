import type { Engine } from "../../engine/engine.ts";
import { lockSubject } from "../../features/locks/tables/lock-events.ts";
import { fencesAfter, grantedIn, positionOf, concernsLocksAt } from "../../features/locks/views/previous-lock.ts";
import { ancestorsOf } from "../../features/locks/tables/path-fault.ts";
import type { Entry } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";

/** Entries of the first and of each further read. Most paths need one entry, and paths with many owners a few pages. */
const pageSizes = [1, 100] as const;

/** The holders of a path and of its ancestors after a position. */
export async function pastLock(
  engine: Engine,
  path: string,
  at: { readonly position: number; readonly limit: number },
): Promise<JsonObject> {
  const position = Math.min(at.position, engine.head.position);
  const above: JsonObject[] = [];
  for (const ancestor of ancestorsOf(path)) above.push(...(await pastHolders(engine, ancestor, position, at.limit)));
  const holders = await pastHolders(engine, path, position, at.limit);
  return { path, position, holders, above: above.slice(0, at.limit) };
}

async function pastHolders(
  engine: Engine,
  path: string,
  position: number,
  limit: number,
): Promise<readonly JsonObject[]> {
  const all = await pastFences(engine, path, position);
  const fences = all.toSorted((a, b) => positionOf(a) - positionOf(b)).slice(0, limit);
  const entries = await engine.entriesAt([...new Set(fences.map(positionOf))]);
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]));
  const holders: JsonObject[] = [];
  for (const fence of fences) {
    const entry = byPosition.get(positionOf(fence));
    const holder = entry === undefined ? undefined : grantedIn(entry, path, fence);
    if (holder !== undefined) holders.push(holder);
  }
  return holders;
}

async function pastFences(engine: Engine, path: string, position: number): Promise<readonly string[]> {
  const subject = lockSubject(path);
  const found: Entry[] = [];
  let before = position + 1;
  for (let limit: number = pageSizes[0]; ; [, limit] = pageSizes) {
    const page = await engine.entriesAbout({ subject, before, order: "newest-first", limit });
    found.push(...page.filter((entry) => concernsLocksAt(path, entry)));
    const fences = fencesAfter(path, found, page.length < limit);
    if (fences !== undefined) return fences;
    before = page.at(-1)?.position ?? 0;
  }
}
