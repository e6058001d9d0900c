import type { Engine } from "../../engine/engine.ts";
import { VersionTrail, versionMadeBy } from "../../features/entities/version-trail.ts";
import type { Versions } from "../../features/entities/version-trail.ts";

const pageSize = 100;
/** Maximum entries to read. A whole value is recorded every 64 versions, so only conflicts in between can be more. */
const pagesMax = 100;

interface VersionRange {
  readonly from: number | "latest";
  readonly to: number;
  /** The search starts before this position. */
  readonly before: number;
}

/** Versions of an entity from its history. */
export async function entityVersions(engine: Engine, subject: string, range: VersionRange): Promise<Versions> {
  const trail = new VersionTrail(subject, range);
  let { before } = range;
  for (let page = 0; page < pagesMax; page += 1) {
    const entries = await engine.entriesAbout({ subject, before, order: "newest-first", limit: pageSize });
    for (const entry of entries) if (trail.add(entry)) return trail.versions();
    if (entries.length < pageSize) break;
    before = entries.at(-1)?.position ?? 0;
    if (page === 0) before = await skipNewer(engine, subject, { to: range.to, before });
  }
  return trail.versions();
}

/** Entries that one probe reads. Among them is one that made a version, unless all of them are conflicts. */
const probeSize = 10;

/**
 * A position before which the search can continue: every version from there on is newer than `to`. Versions rise with
 * positions, so it bisects. The history of a busy entity is longer than what one read may scan.
 */
async function skipNewer(engine: Engine, subject: string, range: Pick<VersionRange, "to" | "before">): Promise<number> {
  let [low, high] = [0, range.before];
  while (high - low > pageSize) {
    const before = Math.floor((low + high) / 2);
    const entries = await engine.entriesAbout({ subject, before, order: "newest-first", limit: probeSize });
    const entry = entries.find((probed) => versionMadeBy(probed, subject) !== undefined);
    const version = entry === undefined ? undefined : versionMadeBy(entry, subject);
    // The next page starts with this entry, whose version is known.
    if (entry !== undefined && version !== undefined && version > range.to) high = entry.position + 1;
    else if (entries.length === 0 || version !== undefined) low = before;
    else return high;
  }
  return high;
}
