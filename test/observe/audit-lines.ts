/** The audit file as a test reads it. */
import { defined } from "@holdfast/sdk/base/defined";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "holdfast";
import { auditFilesOf } from "../../server/src/assembly/verify-audit.ts";
import { orderAuditFiles } from "../../server/src/services/audit-file/read-audit-files.ts";

type AuditLineValue = Readonly<Record<string, unknown>>;

export function auditFilePath(data: string): string {
  return join(data, "audit", "audit.ndjson");
}

/** All whole lines of all files, in order. */
export async function auditLines(data: string): Promise<readonly AuditLineValue[]> {
  const files = await orderAuditFiles(await auditFilesOf(data));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return texts.flatMap((text) =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as AuditLineValue),
  );
}

/** The members that the lines share with `list-audit`. */
export function strippedLines(lines: readonly AuditLineValue[]): readonly unknown[] {
  return lines.map(({ position, time, by, operation, outcome, subjects, changes, records }) => {
    const names = (records as readonly { readonly event: string }[]).map(({ event }) => event);
    return { position, time, by, operation, outcome, subjects, changes, records: names };
  });
}

/** The whole audit trail, oldest first, with the same members. */
export async function listedAudit(client: Client): Promise<readonly unknown[]> {
  const items: AuditLineValue[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await client.run("list-audit", { limit: 1_000, ...defined({ before }) });
    items.push(...(page.items as readonly AuditLineValue[]));
    if (page.next === null) break;
    before = page.next;
  }
  return strippedLines(items.toReversed().map((item) => ({ records: [], ...item })));
}
