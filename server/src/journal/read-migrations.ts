import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The texts of the numbered .sql files in a folder. The files are numbered from 0001 without gaps, so the place in the
 * list is the number.
 *
 * Stores read them when they are loaded and keep them. A server opens files again while it runs, for example after an
 * erasure, and its package may have been replaced on disk by then.
 */
export function readMigrations(folder: string): readonly string[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  return names.map((name, index) => {
    if (Number(name.slice(0, 4)) !== index + 1) throw new Error(`The migration ${name} should be number ${index + 1}.`);
    return readFileSync(join(folder, name), "utf8");
  });
}
