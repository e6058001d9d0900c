import { resolve } from "node:path";
import type { CommandOption, CommandArguments, Terminal } from "../command.ts";

const defaultFolder = ".holdfast";

/** How every command is told which data folder is meant. */
export const dataOption: CommandOption = {
  value: "DIR",
  summary: `the data folder; otherwise HOLDFAST_DATA, otherwise ${defaultFolder} here`,
};

/** The data folder that is meant, as a whole path. */
export function dataFolderOf({ values }: CommandArguments, { env, folder }: Terminal): string {
  const given = values["data"];
  const { HOLDFAST_DATA: named = "" } = env;
  return resolve(folder, typeof given === "string" ? given : named === "" ? defaultFolder : named);
}
