/**
 * Notices that a folder is no longer the only one with its history: it was restored from a backup, or copied. Tokens
 * of its past may then be in use for another future, so the epoch must be raised before anything is decided.
 *
 * A copy is noticed by a small file: the journal remembers the id in it and which file it was (its number and when it
 * was made). A copied file is another one, a restart or a new name of the folder changes neither. Moving the folder to
 * another disk can not be told from copying it, and counts as that: an epoch too many costs little. A copy of a whole
 * disk looks the same from inside and is not noticed.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "@holdfast/sdk/json/read-json";
import { syncPath } from "./folder/make-folder.ts";
import { mapFileError } from "./map-error.ts";
import type { MetaTable } from "./meta-table.ts";

export interface SqliteForkWatch {
  /** Why the epoch must be raised; nothing if it need not. */
  reason(): string | undefined;
  /** From now on this folder is the one with this history. */
  settle(): void;
}

interface FolderIdentity {
  readonly id: string;
  readonly file: string;
  readonly made: string;
}

/** Written into the meta table of a restored journal. */
export interface RestoredMark {
  readonly position: number;
  readonly from: string;
}

const name = "identity";

export function watchFork(meta: MetaTable, folder: string, newId: (() => string) | undefined): SqliteForkWatch {
  let because = reason();

  function reason(): string | undefined {
    const mark = meta.get("restored");
    if (mark !== undefined) {
      const { position, from } = readJson(mark) as unknown as RestoredMark;
      return `restored from a backup of position ${position} (${from})`;
    }
    const known = meta.get("identity");
    if (newId === undefined) return undefined;
    if (known !== undefined) return differenceFrom(readJson(known) as unknown as FolderIdentity, folder);
    adopt(newId);
    return undefined;
  }

  /** The file first: a kill before the journal remembers it leaves a folder that counts as copied, which is safe. */
  function adopt(makeId: () => string): void {
    try {
      meta.set("identity", JSON.stringify(writeIdentity(folder, makeId())));
    } catch (error) {
      throw mapFileError(error, join(folder, name));
    }
  }

  return {
    reason: () => because,
    settle() {
      if (newId !== undefined) adopt(newId);
      meta.delete("restored");
      because = undefined;
    },
  };
}

function differenceFrom(known: FolderIdentity, folder: string): string | undefined {
  const found = readIdentity(folder);
  if (found === undefined) return "the folder was copied without its identity file, or that was removed";
  if (found.id !== known.id) return "the folder holds the identity file of another one";
  if (found.file === known.file && found.made === known.made) return undefined;
  return "the folder was copied, or moved to another file system";
}

function writeIdentity(folder: string, id: string): FolderIdentity {
  const temporary = join(folder, `${name}.tmp`);
  const file = openSync(temporary, "w", 0o600);
  try {
    writeSync(file, id + "\n");
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, join(folder, name));
  syncPath(folder);
  return { id, ...fileIdentity(folder) };
}

function readIdentity(folder: string): FolderIdentity | undefined {
  try {
    return { id: readFileSync(join(folder, name), "utf8").trim(), ...fileIdentity(folder) };
  } catch {
    return undefined;
  }
}

function fileIdentity(folder: string): Pick<FolderIdentity, "file" | "made"> {
  const { ino, birthtimeNs } = statSync(join(folder, name), { bigint: true });
  return { file: String(ino), made: String(birthtimeNs) };
}
