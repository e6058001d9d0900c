import { faultOf, StorageFault } from "../../../storage/storage-fault.ts";
import type { StorageRoot } from "../../../storage/storage-root.ts";

/** The share of the disk that stays free. */
const freeShare = 0.05;

/** Why bytes do not fit on the disk of a root; undefined if they fit. */
export async function spaceFault({ name, disk }: StorageRoot, bytes: number): Promise<StorageFault | undefined> {
  try {
    const { freeBytes, totalBytes } = await disk.space();
    if (freeBytes - bytes >= totalBytes * freeShare) return undefined;
    return new StorageFault("files.storage_full", { root: name, reason: "the disk is nearly full" });
  } catch (error) {
    return faultOf(error, name);
  }
}
