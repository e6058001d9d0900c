import type { FolderFile } from "./folder-file.ts";

/** A page has no folders. */
export function folderFiles(folder: string): Promise<readonly FolderFile[]> {
  return Promise.reject(new Error(`publishFolder(${JSON.stringify(folder)}) needs Node: use publish() and write()`));
}
