import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storageRootService } from "../../server/src/services/storage/storage-root-service.ts";
import type { ServiceFactory } from "../../server/src/services/service.ts";

/** A storage root in a new folder, for a node that a test assembles itself. */
export async function temporaryRoot(
  name = "main",
  node = "here",
  url?: string,
): Promise<AsyncDisposable & { readonly service: ServiceFactory; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-root-"));
  const own = () => () => undefined;
  return {
    folder,
    service: storageRootService({ root: name, folder, node, url, isEager: true, allowsNetwork: false, own }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
