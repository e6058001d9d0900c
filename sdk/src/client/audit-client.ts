import type { AuditItem, AuditQuery, JournalItem, JournalQuery } from "../contract/audit.ts";
import type { Page, Run } from "./entities-client.ts";

/** Who did what, newest first. */
export interface AuditClient {
  /** A page. Go on with `before: next` as long as `next` is not null, also after a page without items. */
  list(query?: AuditQuery): Promise<Page<AuditItem, number>>;
}

/** The entries themselves, oldest first. */
export interface JournalClient {
  /** A page. Go on with `after: next` as long as `next` is not null, also after a page without items. */
  list(query?: JournalQuery): Promise<Page<JournalItem, number> & { readonly head: number }>;
}

export function auditClient(run: Run): AuditClient {
  return { list: async (query) => (await run("list-audit", { ...query }, {})) as Page<AuditItem, number> };
}

export function journalClient(run: Run): JournalClient {
  return {
    list: async (query) => (await run("list-journal", { ...query }, {})) as Awaited<ReturnType<JournalClient["list"]>>,
  };
}
