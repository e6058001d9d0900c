/**
 * Maintenance of a data folder by its owner, one task at a time, while no server runs on it. Like open.ts, it only
 * assembles parts.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Client } from "@holdfast/sdk";
import { systemClock } from "../base/clock.ts";
import type { Engine } from "../engine/engine.ts";
import { findByTime } from "../engine/find-by-time.ts";
import { machineSettings } from "../features/space/space.ts";
import { type ArchiveResult, type Journal, JournalError } from "../journal/journal.ts";
import { backupFolder, restoreFolder } from "../journal/sqlite/folder/backup-folder.ts";
import { filesOfBackup, filesOfRestore } from "./copied-files.ts";
import type { CopiedFiles } from "./copied-files.ts";
import { clientOf, defaultRoot, servicesOf, openFolder, startEngine } from "./open.ts";

type CopyOptions = Parameters<typeof backupFolder>[0];
type CopyResult = Awaited<ReturnType<typeof backupFolder>> & { readonly files: CopiedFiles | undefined };

interface FilesOptions {
  /** The folders of the storage roots by name, if they are configured. */
  readonly storageRoots?: Readonly<Record<string, string>> | undefined;
  /** Leaves the storage roots out. */
  readonly withoutFiles?: boolean;
}

/** Copies a data folder and then the files that the copied journal names. */
export async function backUpData(options: CopyOptions & FilesOptions): Promise<CopyResult> {
  if (options.withoutFiles === true) return { ...(await backupFolder(options)), files: undefined };
  const files = { versions: 0, bytes: 0 };
  const addParts = filesOfBackup(rootFolders(options.from, options), files);
  return { ...(await backupFolder({ ...options, addParts })), files };
}

/** Makes a data folder and its storage roots from a backup. Every file is compared with its digest. */
export async function restoreData(options: CopyOptions & FilesOptions): Promise<CopyResult> {
  if (options.withoutFiles === true) return { ...(await restoreFolder(options)), files: undefined };
  const files = { versions: 0, bytes: 0 };
  const data = resolve(options.to);
  const addParts = filesOfRestore({ backup: options.from, folderOf: rootFolders(data, options), data }, files);
  return { ...(await restoreFolder({ ...options, addParts })), files };
}

/** Without a setting, a data folder has the root `main`. */
export function rootFolders(data: string, { storageRoots }: FilesOptions): (root: string) => string | undefined {
  const roots = new Map(Object.entries(storageRoots ?? { main: defaultRoot(data) }));
  return (root) => roots.get(root);
}

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

type ArchiveAnswer =
  | { readonly kind: "archived"; readonly archived: ArchiveResult }
  /** Time of the newest entry that may be archived: later entries are needed to answer idempotency keys. */
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

interface OwnedFolder {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly client: Client;
}

async function asOwner<Result>(
  folder: string,
  options: UpkeepOptions,
  work: (owned: OwnedFolder) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(join(folder, "journal.db"))) {
    throw new JournalError("invalid", `There is no journal in ${folder}. Check the data folder (--data).`, {
      certain: true,
    });
  }
  const journal = await openFolder(folder, options.report);
  const engine = await startEngine({ ...options, journal });
  // Without retries: while this process has the folder, nothing changes the reason of a refusal.
  const client = clientOf(servicesOf(engine), { principal: "operator", client: { retry: false } });
  try {
    return await work({ engine, journal, client });
  } finally {
    await client.close();
  }
}
