/**
 * The data folder of a node whose journal is elsewhere. It has only the node's own files: its address, the operator's
 * token and the configuration file.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "../base/create-folder.ts";
import { keepPrivate, repairWarning } from "../base/keep-private.ts";
import { StartError } from "../base/start-error.ts";

export function makeNodeFolder(folder: string, report: (message: string, cause: unknown) => void): void {
  // Otherwise an operator that adds --journal to a used folder would see an empty Holdfast and suspect a loss of data.
  if (existsSync(join(folder, "journal.db"))) {
    throw new StartError(
      `${folder} contains a journal of its own, which would not be served: use another folder with --data, ` +
        "or start without --journal",
    );
  }
  createFolder(folder);
  const privacy = keepPrivate(folder);
  if (privacy.repaired.length > 0) report(repairWarning(folder, privacy), undefined);
  if (privacy.refusal !== undefined) throw new StartError(privacy.refusal);
}
