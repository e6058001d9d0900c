/** Before a publish begins, its node must have the root, and the disk must have room. */
import { refusal } from "../../../machine/refusal.ts";
import type { Refusal } from "../../../machine/entry.ts";
import { rootTable } from "../../../packs/files/file-tables.ts";
import type { StorageRoot } from "../../../storage/storage-root.ts";
import type { Prepare } from "../../calls/app-operation.ts";
import type { EngineServices } from "../../engine-services.ts";
import { rootHere, storageRefusal } from "./commit-evidence.ts";
import { spaceFault } from "./space-fault.ts";

interface OpenInput {
  readonly root?: string;
  readonly bytes_max?: number;
}

/** The first publish of a new journal opens and announces the roots of this node. */
export const prepareOpen: Prepare = {
  // The lock may have been acquired through another node.
  at: "head",
  isNeeded: () => true,
  async run(input, { services }) {
    const { root, bytes_max: bytes = 0 } = input as OpenInput;
    const unavailable = await storageRefusal(services, root);
    if (unavailable !== undefined) return unavailable;
    const found = await rootOfOpen(services, root);
    if (found === undefined) return { input };
    return "kind" in found ? found : ((await fullRefusal(found, bytes)) ?? { input });
  },
};

/** The named root, or the only one. Undefined if the decision refuses the publish. */
async function rootOfOpen(
  services: EngineServices,
  named: string | undefined,
): Promise<StorageRoot | Refusal | undefined> {
  const name = await services.engine.scan((state) => {
    const rows = state.rows(rootTable);
    if (named !== undefined) return rows.get(named)?.root;
    const [only, second] = rows.scan("root", { limit: 2 });
    return second === undefined ? only?.root : undefined;
  });
  return name === undefined ? undefined : rootHere(services, { root: name });
}

/** The bytes that the caller announces must fit. Without an announcement, the disk must not be nearly full. */
async function fullRefusal(root: StorageRoot, bytes: number): Promise<Refusal | undefined> {
  const fault = await spaceFault(root, bytes);
  return fault === undefined ? undefined : refusal(fault.code, { ...fault.data });
}
