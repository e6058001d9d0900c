import type { FolderFile } from "./folder-file.ts";

/** A page has no folders. */
export function folderFiles(folder: string): Promise<readonly FolderFile[]> {
  return Promise.reject(new Error(`publishFolder(${JSON.stringify(folder)}) needs Node: use publish() and write()`));
}

export function rootIdOf(rootFolder: string): Promise<string> {
  return Promise.reject(new Error(`rootFolder ${JSON.stringify(rootFolder)} needs Node`));
}

export function makePublishFolder(rootFolder: string, _target: string, _id: string): Promise<string> {
  return rootIdOf(rootFolder);
}
