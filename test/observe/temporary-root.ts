import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storageRoots } from "../../server/src/services/storage/storage-roots.ts";
import type { ServiceFactory } from "../../server/src/services/service.ts";

/** A storage root in a new folder, for a node that a test assembles itself. */
export async function temporaryRoot(
  name = "main",
  node = "here",
): Promise<AsyncDisposable & { readonly service: ServiceFactory; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-root-"));
  const own = () => () => undefined;
  return {
    folder,
    service: storageRoots({ roots: { [name]: folder }, node, isEager: true, own }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
