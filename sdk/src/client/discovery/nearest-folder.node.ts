/**
 * The search for the data folder of a project: upwards from the working directory to the first `.holdfast`. A linked
 * git worktree has no `.holdfast` of its own, so the search continues in the main checkout. A data folder without a
 * running server ends the search. Otherwise a command would use the server of another project.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { NearestFolder } from "../environment/environment.ts";
import { serverNote } from "./server-note.node.ts";

/** Maximum bytes of a file with a path that git writes. */
const linkBytesMax = 8_192;

export function nearestFolder(start: string): NearestFolder | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = dataFolderIn(folder) ?? inMainCheckout(folder);
    if (found !== undefined || dirname(folder) === folder) return found;
  }
}

/** The data folder in a folder. */
function dataFolderIn(parent: string): NearestFolder | undefined {
  const folder = join(parent, ".holdfast");
  const note = serverNote.found(folder);
  if (note !== undefined) return { folder, note };
  return isDataFolder(folder) ? { folder } : undefined;
}

/** A folder of this user or of root. One that has only the notes of agents belongs to a server elsewhere. */
function isDataFolder(folder: string): boolean {
  try {
    const { uid } = lstatSync(folder);
    if (uid !== 0 && uid !== (process.getuid?.() ?? uid)) return false;
    const names = readdirSync(folder).filter((name) => name !== ".gitignore");
    return names.length !== 1 || names[0] !== "agents";
  } catch {
    // There is no such folder, or only its owner may look into it.
    return false;
  }
}

function inMainCheckout(worktree: string): NearestFolder | undefined {
  const main = mainCheckoutOf(worktree);
  return main === undefined ? undefined : nearestFolder(main);
}

/**
 * The main checkout of a linked worktree. Its `.git` is a file that names a folder in the main checkout. That folder
 * must name the worktree in return: a file from an archive alone leads nowhere.
 */
function mainCheckoutOf(worktree: string): string | undefined {
  try {
    const link = join(worktree, ".git");
    if (!lstatSync(link).isFile()) return undefined;
    const [, target] = /^gitdir: (.+)\n?$/u.exec(textOf(link)) ?? [];
    if (target === undefined) return undefined;
    const record = realpathSync(resolve(worktree, target));
    const back = realpathSync(resolve(record, textOf(join(record, "gitdir")).trim()));
    if (back !== realpathSync(link)) return undefined;
    const common = realpathSync(resolve(record, textOf(join(record, "commondir")).trim()));
    return basename(common) === ".git" ? dirname(common) : undefined;
  } catch {
    // It is not a linked worktree, or the main checkout is gone.
    return undefined;
  }
}

function textOf(file: string): string {
  const { size } = lstatSync(file);
  return size > linkBytesMax ? "" : readFileSync(file, "utf8");
}
