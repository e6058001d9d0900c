import { join } from "node:path";
import { shellWord } from "@holdfast/sdk/base/shell-word";

/**
 * The option that a suggested command needs to reach the server of a data folder. None if a search from here finds the folder.
 * Without the option, the command would reach or stop another server.
 */
export function dataOption(data: string, here: string): string {
  return data === join(here, ".holdfast") ? "" : ` --data ${shellWord(data)}`;
}
