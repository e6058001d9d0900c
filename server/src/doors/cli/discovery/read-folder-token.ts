import { readFileSync } from "node:fs";
import { join } from "node:path";
import { operatorTokenFile } from "../../../base/operator-token-file.ts";

/** The operator's token. Undefined if this user cannot read the file. */
export function readFolderToken(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, operatorTokenFile), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
