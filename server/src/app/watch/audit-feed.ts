/** The audit trail for the audit file: oldest first, without recurring operations. */
import type { Engine } from "../../engine/engine.ts";
import { currentEpoch } from "../../features/space/space-table.ts";
import { auditChanges, auditMembers } from "../reads/audit-item.ts";
import type { AuditMembers } from "../reads/audit-item.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { epochOf, lastCommon } from "./entry-feed.ts";
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
      const entries: FedAuditEntry[] = [];
      for (const entry of page.value) {
        if (isUpkeep(entry)) continue;
        const epoch = await epochOf(engine, entry.position);
        entries.push({ ...auditMembers(entry), epoch, changes: await auditChanges(engine, entry) });
      }
      return { done: false, value: { entries, position: pages.position } };
    },
    return: () => pages.return() as Promise<IteratorReturnResult<undefined>>,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
