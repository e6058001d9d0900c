import type { Disk } from "./disk.ts";

/** A folder that stays open until it is disposed, if its disk can hold it. */
export interface HeldFolder extends AsyncDisposable {
  readonly disk: Disk;
  /** Precedes the names in the folder: empty if the folder is held. */
  readonly prefix: string;
}

/** A folder to which each call walks. */
export function walkedFolder(disk: Disk, path: string): HeldFolder {
  return { disk, prefix: `${path}/`, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Holds a folder open, so that calls for the files in it do not walk to it each time. */
export async function heldFolder(disk: Disk, path: string): Promise<HeldFolder> {
  if (disk.inside === undefined) return walkedFolder(disk, path);
  const inside = await disk.inside(path);
  return { disk: inside, prefix: "", [Symbol.asyncDispose]: () => inside[Symbol.asyncDispose]() };
}

/** The path of the folder itself. */
export function pathOfHeld({ prefix }: HeldFolder): string {
  return prefix.slice(0, -1);
}
