/** The format of the pages that programs write. It is the format of all other files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "oxfmt";
import type { FormatConfig } from "oxfmt";

const configFile = join(import.meta.dirname, "..", ".oxfmtrc.json");

/** The text of a file in the format that `npm run check` wants. */
export async function formatText(path: string, text: string): Promise<string> {
  const config = JSON.parse(readFileSync(configFile, "utf8")) as FormatConfig;
  const { code, errors } = await format(path, text, config);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} cannot be formatted: ${error.message}`);
  return code;
}
