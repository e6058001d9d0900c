import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** The files in a guide: each code block that starts with the path of a file as a comment. */
export function filesOfGuide(path: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(root, path), "utf8");
  const blocks = [...text.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gmsu)];
  return new Map(blocks.map(([, file = "", code = ""]) => [file, code]));
}
