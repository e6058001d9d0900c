/**
 * The data folder of a node whose journal is elsewhere. It holds what belongs to this node alone: the address at which it
 * is found, the operator's token, the configuration file.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../base/start-error.ts";

export function makeNodeFolder(folder: string): void {
  // Whoever names a database for a folder that was in use would look at an empty Holdfast, and think that all is lost.
  if (existsSync(join(folder, "journal.db"))) {
    throw new StartError(
      `${folder} holds a journal of its own, which would not be served: give another folder with --data, ` +
        "or start without --journal",
    );
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartError(`the data folder ${folder} can not be made (${(error as Error).message})`);
  }
}
