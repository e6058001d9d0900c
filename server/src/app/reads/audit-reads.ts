/** Reads of the journal itself. A page scans a bounded number of entries, whichever filters apply. */
import { defined } from "@holdfast/sdk/base/defined";
import { auditOperations, publishedName } from "@holdfast/sdk/contract";
import type { InputOf, Operation } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import type { Entry, Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { done } from "../../machine/refusal.ts";
import { auditItem } from "./audit-item.ts";
import { entriesBack, positionAtTime } from "./entries-back.ts";
import { isUpkeep, matchesEntryFilter } from "../watch/entry-filter.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";

type Reads = {
  readonly [Name in keyof typeof auditOperations]: (
    engine: Engine,
    input: InputOf<(typeof auditOperations)[Name]>,
  ) => Promise<Outcome>;
};

/** One read per operation of the contract. A missing one does not compile. */
const reads: Reads = { "list-journal": listJournal, "list-audit": listAudit };

export const auditReads: readonly { readonly operation: Operation; readonly read: Reads[keyof Reads] }[] = Object.keys(
  reads,
).map((name) => ({ operation: auditOperations[name as keyof Reads], read: reads[name as keyof Reads] }));

const pageSize = 100;
/** Maximum entries that one page scans, which takes some milliseconds. */
const scannedMax = 1_000;
/** Maximum entries and bytes per read of the journal. */
const chunk = { entries: 250, bytes: 1024 * 1024 };
/** Approximate maximum characters of a page of whole entries. */
const pageBytesMax = 4 * 1024 * 1024;

async function listJournal(engine: Engine, input: InputOf<(typeof auditOperations)["list-journal"]>): Promise<Outcome> {
  const { limit = pageSize, before = Infinity } = input;
  const head = engine.head.position;
  const last = Math.min(head, before - 1);
  const items: JsonObject[] = [];
  let [after, scanned, bytes] = [input.after ?? 0, 0, 0];
  while (after < last && scanned < scannedMax && bytes < pageBytesMax && items.length < limit) {
    const entries = await engine.entriesAfter(after, chunk);
    // The history may have been rolled back during the read.
    if (entries.length === 0) break;
    for (const entry of entries) {
      if (entry.position > last || items.length >= limit || bytes >= pageBytesMax) break;
      after = entry.position;
      scanned += 1;
      if (!matchesEntryFilter(entry, input)) continue;
      const item = journalItem(entry);
      bytes += JSON.stringify(item).length;
      items.push(item);
    }
  }
  return done({ items, next: after < last ? after : null, head });
}

function journalItem(entry: Entry): JsonObject {
  const { position, time, id, rules, operation, principal, agent, key, trace, input, evidence, outcome, erased } =
    entry;
  const events = entry.events.map((event) => ({ name: publishedName(event), ...event }));
  const members = { position, time: iso(time), id, rules, operation, principal, agent, key, trace, input, evidence };
  return defined({ ...members, outcome: { ...outcome }, events, erased_by: erased });
}

async function listAudit(engine: Engine, input: InputOf<(typeof auditOperations)["list-audit"]>): Promise<Outcome> {
  const { limit = pageSize, after = 0, from_time: from, to_time: to } = input;
  const fromMs = from === undefined ? 0 : Date.parse(from);
  const end = to === undefined ? Infinity : await positionAtTime(engine, Date.parse(to));
  const range = { after, before: Math.min(input.before ?? Infinity, end), subject: input.subject };
  const items: JsonObject[] = [];
  const page = (next: number | null): Outcome => done({ items, next });
  let scanned = 0;
  for await (const entries of entriesBack(engine, range)) {
    for (const entry of entries) {
      if (entry.time < fromMs) return page(null);
      scanned += 1;
      const isShown = matchesEntryFilter(entry, input) && (input.operation !== undefined || !isUpkeep(entry));
      if (isShown) items.push(await auditItem(engine, entry));
      const isFull = items.length >= limit || scanned >= scannedMax;
      if (isFull) return page(entry.position > after + 1 ? entry.position : null);
    }
  }
  return page(null);
}
