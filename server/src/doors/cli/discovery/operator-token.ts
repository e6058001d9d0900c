import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The file in the data folder that holds the operator's token, readable by the owner only. */
export const operatorTokenFile = "operator-token";

/** The operator's token, for whoever may read it. */
export function readOperatorToken(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, operatorTokenFile), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
