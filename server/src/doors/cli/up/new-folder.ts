import { existsSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A data folder that may not exist yet. It can remove the folders and files that a failed start created. */
interface NewFolder {
  readonly remove: () => void;
}

/** Call it before the start: only folders that do not exist at this moment are ever removed. */
export function newFolder(folder: string): NewFolder {
  const missing = missingFolders(folder);
  return {
    remove() {
      if (missing.length === 0) return;
      rmSync(folder, { recursive: true, force: true });
      for (const parent of missing.slice(1)) removeEmpty(parent);
    },
  };
}

/** The folder and its parents that do not exist, the folder first. */
function missingFolders(folder: string): readonly string[] {
  if (existsSync(folder)) return [];
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...missingFolders(parent)];
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another process has put something into it.
  }
}

/** Keeps the journal and the operator's token out of `git add -A`. A file of the user stays as it is. */
export function ignoreInGit(folder: string): void {
  const file = join(folder, ".gitignore");
  if (!existsSync(file)) writeFileSync(file, "*\n", { mode: 0o600 });
}
