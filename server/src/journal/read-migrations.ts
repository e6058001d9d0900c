import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Reads the numbered .sql files of a folder. The files are numbered from 0001 without gaps, so the index in the list gives
 * the number.
 *
 * A store reads the files once, when its module is loaded. A running server opens databases again, for example after an
 * erasure, and its package on disk may be replaced by then.
 */
export function readMigrations(folder: string): readonly string[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  return names.map((name, index) => {
    if (Number(name.slice(0, 4)) !== index + 1) throw new Error(`The migration ${name} must have number ${index + 1}.`);
    return readFileSync(join(folder, name), "utf8");
  });
}
