/**
 * The version of a target at a position of the journal. Its row is in the journal, also after its files were removed.
 */
import { refusal, done } from "../../../machine/refusal.ts";
import type { Entry } from "../../../machine/entry.ts";
import { findVersion, unknownVersion } from "../../../packs/files/find-version.ts";
import { fileSubject, targetTable } from "../../../packs/files/file-tables.ts";
import type { VersionRow } from "../../../packs/files/file-tables.ts";
import { versionView } from "../../../packs/files/version-view.ts";
import { getVersion } from "../../../packs/files/list-versions.ts";
import type { EngineServices } from "../../engine-services.ts";
import type { RunOutcome } from "../../calls/run-outcome.ts";
import type { AppRead } from "../../reads/app-read.ts";

interface GetInput {
  readonly target: string;
  readonly version?: number;
  readonly position?: number;
}

/** Entries per read, and maximum reads: a target may have many publishes that were aborted. */
const pageSize = 100;
const pagesMax = 100;

export const getVersionAt: AppRead = {
  view: "keys",
  run({ target, version, position }: GetInput, { services, ...context }) {
    if (position === undefined) return getVersion.run({ target, version } as never, context);
    if (version === undefined) return pastVersion(services, target, position);
    const message = "send either version or position";
    return refusal("input_invalid", { issues: [{ pointer: "/position", message }] });
  },
};

async function pastVersion({ engine }: EngineServices, target: string, position: number): Promise<RunOutcome> {
  const subject = fileSubject(target);
  let before = Math.min(position, engine.head.position) + 1;
  for (let page = 0; page < pagesMax; page += 1) {
    const entries = await engine.entriesAbout({ subject, before, order: "newest-first", limit: pageSize });
    for (const entry of entries) {
      const made = rowMadeBy(entry, subject);
      if (made !== undefined && entry.erased !== undefined && made !== "deleted")
        return refusal("entry_erased", { position: entry.position, erased_by: entry.erased });
      if (made === "deleted") return unknownVersion(target, undefined).outcome;
      if (made !== undefined) return done(await engine.read((state) => viewOf(state, made)));
    }
    const last = entries.at(-1);
    if (last === undefined || entries.length < pageSize) break;
    before = last.position;
  }
  return unknownVersion(target, undefined).outcome;
}

type State = Parameters<typeof findVersion>[0];

/** A version that is kept is shown as its row says. */
function viewOf(state: State, made: VersionRow): ReturnType<typeof versionView> {
  const { target, version } = made;
  const kept = findVersion(state, target, version);
  const current = state.rows(targetTable).get(target)?.version ?? 0;
  return kept === undefined ? { ...versionView(made, current), is_removed: true } : versionView(kept, current);
}

/** The version that an entry made current, or its deletion. The last event counts. */
function rowMadeBy({ events, principal, time }: Entry, subject: string): VersionRow | "deleted" | undefined {
  const ofTarget = events.filter((event) => event.subject === subject);
  const event = ofTarget.findLast(({ type }) => type === "files.committed" || type === "files.deleted");
  if (event === undefined) return undefined;
  if (event.type === "files.deleted") return "deleted";
  const { id, version, root, files, bytes, digest, meta } = event.data as unknown as VersionRow;
  const row = { id, version, root, files, bytes, digest, target: subject.slice("file/".length), principal, time };
  return meta === undefined ? row : { ...row, meta };
}
