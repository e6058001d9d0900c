import { resolve } from "node:path";
import type { CommandOption, CommandArguments, Terminal } from "../command.ts";

const defaultFolder = ".holdfast";

/** The option of each command that works on a data folder. */
export const dataOption: CommandOption = {
  value: "DIR",
  summary: `the data folder (default: $HOLDFAST_DATA, else ${defaultFolder})`,
};

/** The absolute path of the data folder. */
export function dataFolderOf({ values }: CommandArguments, { env, folder }: Terminal): string {
  const given = values["data"];
  const { HOLDFAST_DATA: named = "" } = env;
  return resolve(folder, typeof given === "string" ? given : named === "" ? defaultFolder : named);
}
