import { join } from "node:path";

/**
 * The option that a suggested command needs to reach the server of a data folder. None if a search from here finds the folder.
 * Without the option, the command would reach or stop another server.
 */
export function dataOption(data: string, here: string): string {
  return data === join(here, ".holdfast") ? "" : ` --data ${shellWord(data)}`;
}

function shellWord(path: string): string {
  return /^[\w./-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
