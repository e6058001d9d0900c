/** The files that a journal in a folder names. The journal may come from elsewhere, so every name is checked. */
import { fileTarget, publishId, sha256, storageRoot } from "@holdfast/sdk/contract";
import { unseal } from "../journal/unseal.ts";
import { JournalError } from "../journal/journal.ts";
import { openSqliteReader } from "../journal/sqlite/folder/sqlite-reader.ts";
import { garbageTable, publishTable, rootTable, versionTable } from "../packs/files/file-tables.ts";
import type { RecordedVersion } from "../storage/prove-version.ts";
import { versionFolder } from "../storage/staged-publish.ts";
import { machineOf } from "./open.ts";

interface RecordedFiles {
  readonly versions: readonly RecordedVersion[];
  /** The id of the folder of each root. */
  readonly rootIds: ReadonlyMap<string, string>;
  /** The ids of running publishes and of folders that a node has yet to remove. */
  readonly otherIds: ReadonlySet<string>;
}

const packPrefix = "files.";
const rootIdPattern = /^[\w-]{1,256}$/u;

/** Whether a text has the pattern of its schema. */
function matches(schema: object, text: unknown): boolean {
  const { pattern } = schema as { readonly pattern: string };
  return typeof text === "string" && new RegExp(pattern, "u").test(text);
}

/** Only the events of files are folded: they change only tables of their own. */
export function recordedFiles(folder: string): RecordedFiles {
  const machine = machineOf([]);
  const reader = openSqliteReader(folder);
  try {
    for (const stored of reader.batches(1)) {
      if (!stored.lines.includes(`"${packPrefix}`)) continue;
      const batch = unseal(stored, stored.previous);
      for (const { position } of batch.indexed()) {
        const entry = batch.entry(position);
        const events = entry.events.filter(({ type }) => type.startsWith(packPrefix));
        if (events.length > 0) machine.fold({ ...entry, events });
      }
    }
  } finally {
    reader.close();
  }
  const versions = machine.durable.rows(versionTable).scan("target", { limit: Infinity });
  requireNames(versions);
  const roots = machine.durable.rows(rootTable).scan("root", { limit: Infinity });
  const others = [
    ...machine.durable.rows(publishTable).scan("order", { limit: Infinity }),
    ...machine.durable.rows(garbageTable).scan("root", { limit: Infinity }),
  ];
  return {
    versions,
    rootIds: new Map(roots.flatMap(({ root, rootId }) => idOf(root, rootId))),
    otherIds: new Set(others.map(({ id }) => id)),
  };
}

function idOf(root: string, rootId: string | undefined): readonly (readonly [string, string])[] {
  if (rootId === undefined) return [];
  if (!matches(storageRoot, root) || !rootIdPattern.test(rootId)) throw wrongRow(`the storage root ${root}`);
  return [[root, rootId]];
}

function requireNames(versions: readonly RecordedVersion[]): void {
  const folders = new Set<string>();
  for (const version of versions) {
    const { target, id, root, digest, files, bytes } = version;
    const isNamed =
      matches(fileTarget, target) && matches(publishId, id) && matches(storageRoot, root) && matches(sha256, digest);
    const folder = `${root}/${versionFolder(version)}`;
    if (!isNamed || !Number.isSafeInteger(files) || !Number.isSafeInteger(bytes) || folders.has(folder))
      throw wrongRow(`a version of ${JSON.stringify(target)}`);
    folders.add(folder);
  }
}

function wrongRow(what: string): JournalError {
  const message = `The journal has names for ${what} that Holdfast never makes. Use a backup of your own.`;
  return new JournalError("damaged", message, { certain: true });
}
