/** Receives a part of a file. The whole part is in memory before a byte is written, so a broken one changes nothing. */
import { files, partBytesMax } from "@holdfast/sdk/contract";
import type { Refusal } from "../../../machine/entry.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import { packOff } from "../../../packs/pack-off.ts";
import { publishTable } from "../../../packs/files/file-tables.ts";
import type { PublishRow } from "../../../packs/files/file-tables.ts";
import { StorageFault } from "../../../storage/storage-fault.ts";
import type { OperationRun } from "../../calls/app-operation.ts";
import type { EngineServices } from "../../engine-services.ts";
import { rootHere, storageRefusal } from "./commit-evidence.ts";
import { fileLimitsOf } from "./file-limits-of.ts";
import { collectPart } from "./collect-part.ts";
import { partLimits } from "./part-limits.ts";
import { PartPlaces } from "./part-places.ts";
import { spaceFault } from "./space-fault.ts";

const systemPrincipal = "holdfast";

interface UploadInput {
  readonly id: string;
  readonly path: string;
  readonly offset?: number;
  readonly sha256?: string;
}

/** The limit holds for all engines of the process, because they share its memory. */
const places = new PartPlaces();

export const uploadPart: OperationRun = {
  at: "head",
  async run({ id, path, offset = 0, sha256 }: UploadInput, { services, speaker, body }) {
    const row = await publishOf(services, id, speaker.principal);
    if ("kind" in row) return row;
    const unavailable = await storageRefusal(services, row.root);
    if (unavailable !== undefined) return unavailable;
    const root = rootHere(services, row);
    if ("kind" in root) return root;
    return places.use(speaker.principal, async () => {
      const bytes = await collectPart(body, services.clock);
      if (bytes === undefined) return refusal("files.part_late", { path, offset, limit_ms: partLimits.partMs });
      if (bytes.byteLength > partBytesMax) throw new Error("unreachable: the body is bounded");
      const ended = await publishOf(services, id, speaker.principal);
      if ("kind" in ended) return ended;
      const publish = root.publish(row, await fileLimitsOf(services, row));
      try {
        const full = await spaceFault(root, bytes.byteLength);
        if (full !== undefined) throw full;
        const size = await publish.write({ path, offset, bytes, sha256 });
        return done({ path, bytes: size });
      } catch (error) {
        if (!(error instanceof StorageFault)) throw error;
        // A part that was refused ends nothing.
        const isBroken = publish.fault !== undefined || error.code === "files.storage_full";
        if (isBroken) await endPublish(services, row, error);
        return refusal(error.code, { ...error.data });
      }
    });
  },
};

async function publishOf({ engine }: EngineServices, id: string, principal: string): Promise<PublishRow | Refusal> {
  const found = await engine.read((state) => packOff(state, files) ?? state.rows(publishTable).get(id));
  if (found !== undefined && "kind" in found) return found;
  return found?.principal === principal ? found : refusal("files.publish_unknown", { id });
}

/** A publish whose disk failed ends by an entry. */
async function endPublish(
  { engine, storage }: EngineServices,
  { id, root }: PublishRow,
  { code, data, degradesRoot: degrades }: StorageFault,
): Promise<void> {
  const input = { id, code, reason: String(data["reason"] ?? code), degrades };
  const caller = systemPrincipal;
  const key = `files.fail ${id}`;
  await engine.execute({ operation: "files.fail", input, key, principal: caller, caller, bytes: 0 });
  storage.root(root)?.forget(id);
  storage.noteGarbage();
}
