/** The parts of a publish that use the disk around its decisions: steps 4 to 7 before the commit, removal after it. */
import { defined } from "@holdfast/sdk/base/defined";
import { refusal } from "../../../machine/refusal.ts";
import type { Refusal } from "../../../machine/entry.ts";
import { publishTable, rootTable } from "../../../packs/files/file-tables.ts";
import type { PublishRow } from "../../../packs/files/file-tables.ts";
import { StorageFault } from "../../../storage/storage-fault.ts";
import type { StorageRoot } from "../../../storage/storage-root.ts";
import type { EvidenceSource, Finish, Prepare } from "../../calls/app-operation.ts";
import type { EngineServices } from "../../engine-services.ts";
import { fileLimitsOf } from "./file-limits-of.ts";

/** A root that cannot be opened does not stop the server. The operations that need it are refused. */
export async function storageRefusal({ storage }: EngineServices, root?: string): Promise<Refusal | undefined> {
  try {
    await storage.ready(root);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    return refusal("files.root_unavailable", { reason, retry_after_ms: 5_000 });
  }
}

/** The disk of a root, if this node has it and the session is its own. */
export function rootHere(
  { engine, storage }: EngineServices,
  { root, session }: { readonly root: string; readonly session?: string },
): StorageRoot | Refusal {
  const found = storage.root(root);
  if (found !== undefined && (session === undefined || found.session === session)) return found;
  const { node = "", url } = engine.peek((state) => state.rows(rootTable).get(root)) ?? {};
  return refusal("files.root_elsewhere", defined({ root, node, url }));
}

function publishRow({ engine }: EngineServices, id: unknown): Promise<PublishRow | undefined> {
  return engine.read((state) => state.rows(publishTable).get(id as string));
}

/** A commit on a node without the root is refused before its decision. A publish that has ended is left to the decision. */
export const rootOfCommit: Prepare = {
  at: "head",
  isNeeded: () => true,
  async run(input, { services }) {
    const row = await publishRow(services, input["id"]);
    const unavailable = await storageRefusal(services, row?.root);
    if (unavailable !== undefined) return unavailable;
    const root = row === undefined ? undefined : rootHere(services, row);
    return root !== undefined && "kind" in root ? root : { input };
  },
};

/** Asked only when the decision has found the lock and the version in order. A known key is replayed without it. */
export const commitEvidence: EvidenceSource = {
  asksDecision: true,
  async gather({ id }, { services }) {
    const row = await publishRow(services, id);
    if (row === undefined) return undefined;
    const { session } = row;
    const root = rootHere(services, row);
    if ("kind" in root) return undefined;
    try {
      const staged = root.publish(row, await fileLimitsOf(services, row));
      return { id: row.id, session, sealed: { ...(await staged.seal()) } };
    } catch (error) {
      if (!(error instanceof StorageFault)) throw error;
      const { code, data, degradesRoot: degrades } = error;
      return { id: row.id, session, fault: { code, data: { ...data }, degrades } };
    }
  },
};

/** Folders that the decision made superfluous are removed soon. */
export const endOnDisk: Finish = (outcome, { services: { engine, storage } }) => {
  // While the state is folded again, a publish counts as running.
  const isRunning = (id: string): boolean =>
    engine.peek((state) => state.rows(publishTable).get(id) !== undefined) !== false;
  for (const root of storage.roots) root.forgetEnded(isRunning);
  storage.noteGarbage();
  return outcome;
};
