import { join } from "node:path";
import { readSmallFile } from "../../../base/regular-file.ts";
import { operatorTokenFile } from "../../../base/operator-token-file.ts";

/** Maximum size of the file. A token has 67 characters. */
const tokenBytesMax = 4_096;

/** The operator's token. Undefined if this user cannot read the file. A link may lead to another secret of the user. */
export function readFolderToken(folder: string): string | undefined {
  try {
    return readSmallFile(join(folder, operatorTokenFile), tokenBytesMax).trim() || undefined;
  } catch {
    return undefined;
  }
}
