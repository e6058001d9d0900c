import { defined } from "@holdfast/sdk/base/defined";
import type { CommandContext } from "../discovery/server-command.ts";
import { programCall } from "./program-calls.ts";

/** The line between two pages. Each page needs only items of the pages before it. */
export const pageMark = "@page";

/** All pages of the export of a program as one text. */
export async function readExport(context: CommandContext, program_id: string): Promise<string> {
  const pages: string[] = [];
  let after: string | null = null;
  do {
    const input = { program_id, ...defined({ after: after ?? undefined }) };
    const page: { readonly text: string; readonly next: string | null } = await programCall(
      context,
      "programs.export",
      input,
    );
    pages.push(page.text);
    after = page.next;
  } while (after !== null);
  return pages.join(`\n${pageMark}\n`);
}
