/**
 * Maintenance of a data folder by its owner, one task at a time, while no server runs on it. Like open.ts, it only
 * assembles parts.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@holdfast/sdk";
import { systemClock } from "../base/clock.ts";
import { verificationOf } from "./data-folder.ts";
import type { Engine } from "../engine/engine.ts";
import { findByTime } from "../engine/find-by-time.ts";
import type { VerificationResult } from "../engine/verify/verification.ts";
import { Verification } from "../engine/verify/verification.ts";
import type { Kind } from "../features/entities/kind.ts";
import { machineSettings } from "../features/space/space.ts";
import { readBatchLine } from "../journal/batch-line.ts";
import { importBatch } from "../journal/import-batch.ts";
import { type ArchiveResult, type Head, type Journal, JournalError } from "../journal/journal.ts";
import { backupFolder, markRestored, restoreFolder } from "../journal/sqlite/folder/backup-folder.ts";
import { headOf } from "../journal/unseal.ts";
import type { StoredBatch } from "../journal/unseal.ts";
import { clientOf, servicesOf, openFolder, startEngine } from "./open.ts";

export { backupFolder, restoreFolder };

export interface UpkeepOptions {
  readonly report: (message: string, cause: unknown) => void;
}

/** Saves the state, so that the next start folds nothing. Returns the saved position. */
export function checkpointFolder(folder: string, options: UpkeepOptions): Promise<number> {
  return asOwner(folder, options, ({ engine }) => engine.checkpoint());
}

/** Removes the payload of an entry permanently. */
export function eraseEntry(
  folder: string,
  erasure: { readonly position: number; readonly reason: string },
  options: UpkeepOptions,
): Promise<unknown> {
  return asOwner(folder, options, ({ client }) => client.run("erase-payload", erasure));
}

export type ArchiveAnswer =
  | { readonly kind: "archived"; readonly archived: ArchiveResult }
  /** Time of the newest entry that may be archived: later entries still answer keys. */
  | { readonly kind: "too_young"; readonly beforeMs: number };

/** Archives entries that are older than a time. */
export function archiveFolder(folder: string, beforeMs: number, options: UpkeepOptions): Promise<ArchiveAnswer> {
  return asOwner(folder, options, async ({ engine, journal }) => {
    const windowMs = await engine.read((state) => machineSettings(state).idempotencyWindowMs);
    // The engine's time is never behind either of these.
    const allowedMs = Math.max(engine.head.time, systemClock.wallMs()) - windowMs;
    if (beforeMs > allowedMs) return { kind: "too_young", beforeMs: allowedMs };
    const position = await findByTime(journal, beforeMs);
    return { kind: "archived", archived: await journal.archive(position) };
  });
}

export interface Imported {
  readonly verified: VerificationResult;
  readonly entryCount: number;
  readonly head: Head;
}

export interface ImportOptions extends UpkeepOptions {
  /** The source of the lines, recorded for later readers. */
  readonly from: string;
  readonly kinds: readonly Kind[];
  readonly onProgress: (position: number) => void;
}

/**
 * Imports the lines of an export into a folder that is empty or has the beginning of the same history. Each batch is
 * verified before it is appended. A bad batch stops the import, and the batches before it are valid.
 */
export async function importJournal(
  folder: string,
  lines: AsyncIterable<string>,
  { from, kinds, report, onProgress }: ImportOptions,
): Promise<Imported> {
  const journal = await openFolder(folder, report);
  try {
    const start = await journal.head();
    const verification = new Verification(verificationOf(kinds));
    let lineNumber = 0;
    let isMarked = false;
    for await (const line of lines) {
      lineNumber += 1;
      const batch = readBatchLine(line, lineNumber);
      if (!verification.take(batch)) break;
      refuseOther(batch, start);
      if (batch.first <= start.position) continue;
      // Before the first append: this history may continue elsewhere, so the next start must raise the epoch.
      if (!isMarked) markRestored(folder, { position: start.position, from });
      isMarked = true;
      await importBatch(journal, batch);
      onProgress(verification.position);
    }
    const verified = verification.finish();
    if (verified.ok && verified.head.position < start.position) throw otherHistory(start, "ends before it");
    const head = await journal.head();
    if (isMarked) markRestored(folder, { position: head.position, from });
    return { verified, entryCount: head.position - start.position, head };
  } finally {
    await journal.close();
  }
}

/** The last entry of the folder must end a batch of the file. Otherwise it is another history. */
function refuseOther(batch: StoredBatch, start: Head): void {
  const { position, hash } = headOf(batch);
  const isAcross = batch.first <= start.position && position > start.position;
  if (isAcross || (position === start.position && hash !== start.hash)) {
    throw otherHistory(start, "has another entry there");
  }
}

function otherHistory({ position }: Head, why: string): JournalError {
  const message = `The folder's last entry, ${position}, is not in this file, which ${why}. Nothing was changed.`;
  return new JournalError("invalid", message, { certain: true });
}

interface Owned {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly client: Client;
}

async function asOwner<Result>(
  folder: string,
  options: UpkeepOptions,
  work: (owned: Owned) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(join(folder, "journal.db"))) {
    throw new JournalError("invalid", `There is no journal in ${folder}.`, { certain: true });
  }
  const journal = await openFolder(folder, options.report);
  const engine = await startEngine({ ...options, journal });
  const client = clientOf(servicesOf(engine), { principal: "operator" });
  try {
    return await work({ engine, journal, client });
  } finally {
    await client.close();
  }
}
