import { gap } from "../../features/locks/tables/lock-tables.ts";
import { garbageTable } from "../../packs/files/file-tables.ts";
import type { StorageRoot } from "../../storage/storage-root.ts";
import type { ServiceFactory } from "../service.ts";

type ServiceContext = Parameters<ServiceFactory>[0];

/** Maximum folders of one command. */
const removedMax = 200;

/** Removes the folders that the journal has given up, and then records it. A folder that a stream reads stays. */
export async function sweepRoot(
  root: StorageRoot,
  engine: ServiceContext["services"]["engine"],
  send: ServiceContext["send"],
): Promise<void> {
  const prefix = `${root.name}${gap}`;
  let after: string | undefined;
  for (;;) {
    const rows = await engine.scan((state) =>
      state.rows(garbageTable).scan("root", { prefix, after, limit: removedMax }),
    );
    const ids: string[] = [];
    for (const row of rows) if (await root.remove(row)) ids.push(row.id);
    const [first] = ids;
    if (first !== undefined) await send("files.removed", { ids }, `files.removed ${first} ${root.session}`);
    if (rows.length < removedMax) return;
    after = `${prefix}${rows.at(-1)?.id ?? ""}`;
  }
}
