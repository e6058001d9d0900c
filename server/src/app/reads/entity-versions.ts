import type { Engine } from "../../engine/engine.ts";
import { VersionTrail } from "../../features/entities/version-trail.ts";
import type { Versions } from "../../features/entities/version-trail.ts";

const pageSize = 100;
/** Maximum entries to read. A whole value is recorded every 64 versions, so only conflicts in between can be more. */
const pagesMax = 100;

/** Versions of an entity from its history. `before` limits the search. */
export async function entityVersions(
  engine: Engine,
  subject: string,
  range: { readonly from: number | "latest"; readonly to: number; readonly before: number },
): Promise<Versions> {
  const trail = new VersionTrail(subject, range);
  let before = range.before;
  for (let page = 0; page < pagesMax; page += 1) {
    const entries = await engine.entriesAbout({ subject, before, order: "newest-first", limit: pageSize });
    for (const entry of entries) if (trail.add(entry)) return trail.versions();
    if (entries.length < pageSize) break;
    before = entries.at(-1)?.position ?? 0;
  }
  return trail.versions();
}
