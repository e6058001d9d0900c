/** Imports the lines of an export into a data folder, while no server runs on it. */
import { verificationOf } from "./data-folder.ts";
import type { VerificationResult } from "../engine/verify/verification.ts";
import { Verification } from "../engine/verify/verification.ts";
import type { Kind } from "../features/entities/kind.ts";
import { readBatchLine } from "../journal/batch-line.ts";
import { importBatch } from "../journal/import-batch.ts";
import { type Head, JournalError } from "../journal/journal.ts";
import { markRestored } from "../journal/sqlite/folder/backup-folder.ts";
import { splitLines } from "../journal/split-lines.ts";
import { headOf } from "../journal/unseal.ts";
import type { StoredBatch } from "../journal/unseal.ts";
import { openFolder } from "./open.ts";
import type { UpkeepOptions } from "./upkeep.ts";

interface ImportResult {
  readonly verified: VerificationResult;
  readonly entryCount: number;
  readonly head: Head;
  /** True if the first start revokes all tokens. */
  readonly revokesTokens: boolean;
}

interface ImportOptions extends UpkeepOptions {
  /** The source of the lines, recorded for later readers. */
  readonly from: string;
  readonly kinds: readonly Kind[];
  /** Keeps the tokens of the file. Otherwise the first start revokes them: the author of the file knows their secrets. */
  readonly keepsTokens: boolean;
  readonly onProgress: (position: number) => void;
}

/**
 * Imports the text of an export into a folder that is empty or has the beginning of the same history. Each batch is
 * verified before it is appended. A bad batch stops the import, and the batches before it are valid.
 */
export async function importJournal(
  folder: string,
  text: AsyncIterable<string>,
  { from, kinds, keepsTokens, report, onProgress }: ImportOptions,
): Promise<ImportResult> {
  const journal = await openFolder(folder, report);
  try {
    const start = await journal.head();
    const verification = new Verification(verificationOf(kinds));
    let lineNumber = 0;
    let isMarked = false;
    const mark = (position: number): void => {
      markRestored(folder, { position, from, revokesTokens: !keepsTokens });
    };
    for await (const line of splitLines(text, from)) {
      lineNumber += 1;
      const batch = readBatchLine(line);
      if (batch === undefined) throw invalidLine(lineNumber, from);
      if (!verification.take(batch)) break;
      refuseOtherHistory(batch, start);
      if (batch.first <= start.position) continue;
      // Before the first append: this history may continue elsewhere, so the next start must raise the epoch.
      if (!isMarked) mark(start.position);
      isMarked = true;
      await importBatch(journal, batch);
      onProgress(verification.position);
    }
    const verified = verification.finish();
    if (verified.ok && verified.head.position < start.position) throw otherHistory(start, "ends before it");
    const head = await journal.head();
    if (isMarked) mark(head.position);
    const revokesTokens = isMarked && !keepsTokens;
    return { verified, entryCount: head.position - start.position, head, revokesTokens };
  } finally {
    await journal.close();
  }
}

/** The last entry of the folder must end a batch of the file. Otherwise it is another history. */
function refuseOtherHistory(batch: StoredBatch, start: Head): void {
  const { position, hash } = headOf(batch);
  const spansStart = batch.first <= start.position && position > start.position;
  if (spansStart || (position === start.position && hash !== start.hash)) {
    throw otherHistory(start, "has another entry there");
  }
}

function invalidLine(lineNumber: number, source: string): JournalError {
  const message = `Line ${lineNumber} of ${source} is not a batch of an exported journal. Export the journal again.`;
  return new JournalError("damaged", message, { certain: true });
}

function otherHistory({ position }: Head, why: string): JournalError {
  const message =
    `The folder's last entry, ${position}, is not in this file, which ${why}. Nothing was changed. ` +
    "Import into an empty folder.";
  return new JournalError("invalid", message, { certain: true });
}
