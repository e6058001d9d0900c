import { join } from "node:path";

/**
 * The option that a suggested command needs to reach the server of a data folder: none in the folder's own project, in which a
 * search finds it. Elsewhere the command without the option would reach, or stop, another server.
 */
export function dataOption(data: string, here: string): string {
  return data === join(here, ".holdfast") ? "" : ` --data ${shellWord(data)}`;
}

function shellWord(path: string): string {
  return /^[\w./-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
