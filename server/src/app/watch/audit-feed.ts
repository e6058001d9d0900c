/** The audit trail for the audit file: oldest first, without recurring operations. */
import type { Engine } from "../../engine/engine.ts";
import { currentEpoch, epochAt } from "../../features/space/space-table.ts";
import { auditChanges, auditMembers, recordedChanges } from "../reads/audit-item.ts";
import type { AuditMembers } from "../reads/audit-item.ts";
import type { Entry } from "../../machine/entry.ts";
import type { StateReader } from "../../machine/state.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { lastCommon } from "./entry-feed.ts";
import { isUpkeep } from "./entry-filter.ts";

interface FedAuditEntry extends AuditMembers {
  readonly epoch: number;
  readonly changes: readonly JsonObject[];
}

interface FedAuditPage {
  readonly entries: readonly FedAuditEntry[];
  readonly position: number;
}

/** The parts of the journal that the audit file follows. */
export function auditFeed(engine: Engine) {
  return {
    pages: (after: number) => auditPages(engine, after),
    lastCommon: (line: { readonly epoch: number; readonly position: number }) => lastCommon(engine, line),
    currentEpoch: () => engine.read(currentEpoch),
    head: () => engine.head.position,
  };
}

function auditPages(engine: Engine, after: number): AsyncIterableIterator<FedAuditPage> {
  const pages = engine.subscribe(after);
  return {
    async next() {
      const page = await pages.next();
      if (page.done === true) return page;
      const audited = page.value.filter((entry) => !isUpkeep(entry));
      const epochs = await engine.read((state) => epochsOf(state, audited));
      const entries: FedAuditEntry[] = [];
      for (const [index, entry] of audited.entries()) {
        // A promise for each entry would cost as much as its line.
        const changes = recordedChanges(entry) ?? (await auditChanges(engine, entry));
        entries.push(fedEntry(entry, epochs[index] ?? 0, changes));
      }
      return { done: false, value: { entries, position: pages.position } };
    },
    return: () => pages.return() as Promise<IteratorReturnResult<undefined>>,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Most pages are of one epoch, which is searched for twice instead of once for each entry. */
function epochsOf(state: StateReader, entries: readonly Entry[]): readonly number[] {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return [];
  const epoch = epochAt(state, first.position);
  if (epoch === epochAt(state, last.position)) return entries.map(() => epoch);
  return entries.map(({ position }) => epochAt(state, position));
}

/** The members are in the order of the line. */
function fedEntry(entry: Entry, epoch: number, changes: readonly JsonObject[]): FedAuditEntry {
  const { position, time, by, operation, outcome, subjects, records } = auditMembers(entry);
  return { position, epoch, time, by, operation, outcome, subjects, records, changes };
}
