/**
 * Detects that another folder may hold the same history, because this folder was restored from a backup or copied.
 * Tokens of its past may then be in use in another future. The epoch must be raised before the engine decides anything.
 *
 * A small identity file reveals a copy. The journal stores the id in the file, its inode number and its creation time.
 * - A copied file has another inode or creation time. A restart or a renamed folder changes neither.
 * - A move to another disk cannot be distinguished from a copy and counts as one. An unneeded epoch costs little.
 * - A copy of a whole disk has the same inodes and is not detected.
 */
import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@holdfast/sdk/json/json";
import { readJson } from "@holdfast/sdk/json/read-json";
import { readSmallFile } from "../../base/regular-file.ts";
import { syncPath } from "./folder/make-folder.ts";
import { mapFileError } from "./map-error.ts";
import type { MetaTable } from "./meta.ts";

export interface SqliteForkWatch {
  /** The reason why the epoch must be raised, or undefined if it need not be. */
  reason(): string | undefined;
  /** True if the journal was imported, and its tokens must end when the epoch is raised. */
  isImported(): boolean;
  /** Makes this folder the owner of this history, after the epoch was raised. */
  settle(): void;
}

interface FolderIdentity {
  readonly id: string;
  readonly file: string;
  readonly made: string;
}

/** The value of `restored` in the meta table of a restored journal. */
export interface RestoredMark {
  readonly position: number;
  readonly from: string;
  /** Set by an import that does not keep the tokens of the file. */
  readonly revokesTokens?: boolean;
}

/** Maximum characters of a source in the reason of an epoch. */
const sourceCharactersMax = 500;

const name = "identity";
/** Maximum size of the identity file. */
const identityBytesMax = 1_024;

export function watchFork(meta: MetaTable, folder: string, newId: (() => string) | undefined): SqliteForkWatch {
  let forkReason = detectFork();

  function detectFork(): string | undefined {
    const mark = meta.get("restored");
    if (mark !== undefined) {
      const { position, from } = readMark(mark);
      return `restored from a backup of position ${position} (${from.slice(0, sourceCharactersMax)})`;
    }
    const known = meta.get("identity");
    if (newId === undefined) return undefined;
    if (known !== undefined) return differenceFrom(readIdentityMark(known), folder);
    adopt(newId);
    return undefined;
  }

  /** Writes the file first. A kill before the journal stores it leaves a folder that counts as copied, which is safe. */
  function adopt(makeId: () => string): void {
    try {
      meta.set("identity", JSON.stringify(writeIdentity(folder, makeId())));
    } catch (error) {
      throw mapFileError(error, join(folder, name));
    }
  }

  return {
    reason: () => forkReason,
    isImported: () => {
      const mark = meta.get("restored");
      return mark !== undefined && readMark(mark).revokesTokens === true;
    },
    settle() {
      if (newId !== undefined) adopt(newId);
      meta.delete("restored");
      forkReason = undefined;
    },
  };
}

/** A mark that Holdfast did not write counts as an import: the folder comes from elsewhere. */
function readMark(text: string): RestoredMark {
  const value = readObject(text);
  const { position, from, revokesTokens } = value;
  if (typeof position === "number" && typeof from === "string") {
    return { position, from, revokesTokens: revokesTokens === true };
  }
  return { position: 0, from: "an unknown source", revokesTokens: true };
}

function readIdentityMark(text: string): FolderIdentity {
  const { id, file, made } = readObject(text);
  return { id: String(id), file: String(file), made: String(made) };
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = readJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function differenceFrom(known: FolderIdentity, folder: string): string | undefined {
  const found = readIdentity(folder);
  if (found === undefined) return "the folder was copied without its identity file, or the file was removed";
  if (found.id !== known.id) return "the folder holds the identity file of another folder";
  if (found.file === known.file && found.made === known.made) return undefined;
  return "the folder was copied, or moved to another file system";
}

function writeIdentity(folder: string, id: string): FolderIdentity {
  const temporary = join(folder, `${name}.tmp`);
  // `wx` follows no link. A kill may have left the file behind.
  rmSync(temporary, { force: true });
  const file = openSync(temporary, "wx", 0o600);
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
    return { id: readSmallFile(join(folder, name), identityBytesMax).trim(), ...fileIdentity(folder) };
  } catch {
    return undefined;
  }
}

function fileIdentity(folder: string): Pick<FolderIdentity, "file" | "made"> {
  const { ino, birthtimeNs } = lstatSync(join(folder, name), { bigint: true });
  return { file: String(ino), made: String(birthtimeNs) };
}
