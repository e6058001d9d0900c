import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

class FolderError extends Error {
  override readonly name = "FolderError";
  readonly code = "io";
}

/** Creates a folder and its missing parents for this user alone. Returns the first folder that it created. */
export function createFolder(folder: string): string | undefined {
  try {
    return createBelowParent(folder);
  } catch (cause) {
    const { message } = cause as Error;
    throw new FolderError(
      `the folder ${folder} cannot be created (${message}): check the permissions of its parent, or choose another folder`,
      { cause },
    );
  }
}

/**
 * Below `/proc`, `mkdirSync` with `recursive` never returns. The system answers ENOENT, and Node creates the existing
 * parent again.
 */
function createBelowParent(folder: string): string | undefined {
  if (isFolder(folder)) return undefined;
  const parent = dirname(folder);
  const first = parent === folder ? undefined : createBelowParent(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
    return first ?? folder;
  } catch (error) {
    // Another process created it meanwhile.
    if (isFolder(folder)) return first;
    throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
