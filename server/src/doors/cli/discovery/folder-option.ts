import { resolve } from "node:path";
import type { CommandOption, Given, Terminal } from "../command.ts";

const defaultFolder = ".holdfast";

/** How every command is told which data folder is meant. */
export const dataOption: CommandOption = {
  value: "DIR",
  summary: `the data folder; otherwise HOLDFAST_DATA, otherwise ${defaultFolder} here`,
};

/** The data folder that is meant, as a whole path. */
export function folderOf({ values }: Given, { env, folder }: Terminal): string {
  const given = values["data"];
  const { HOLDFAST_DATA: named = "" } = env;
  return resolve(folder, typeof given === "string" ? given : named === "" ? defaultFolder : named);
}
