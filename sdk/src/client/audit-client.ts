import type { AuditItem, AuditQuery, JournalItem, JournalQuery } from "./operation-output.ts";
import type { Page, Run } from "./entities-client.ts";

/** The audit trail, newest first. */
export interface AuditClient {
  /** A page. Continue with `before: next` while `next` is not null, even after a page without items. */
  list(query?: AuditQuery): Promise<Page<AuditItem, number>>;
}

/** The entries of the journal, oldest first. */
export interface JournalClient {
  /** A page. Continue with `after: next` while `next` is not null, even after a page without items. */
  list(query?: JournalQuery): Promise<Page<JournalItem, number> & { readonly head: number }>;
}

export function auditClient({ run }: { readonly run: Run }): AuditClient {
  return { list: async (query) => (await run("list-audit", { ...query }, {})) as Page<AuditItem, number> };
}

export function journalClient({ run }: { readonly run: Run }): JournalClient {
  return {
    list: async (query) => (await run("list-journal", { ...query }, {})) as Awaited<ReturnType<JournalClient["list"]>>,
  };
}
