import type { CommandArguments, CommandOption, Terminal } from "../command.ts";
import { configOf, configOptions } from "./config-options.ts";
import { storageRootsOf } from "./serve-options.ts";

const { "storage-roots": roots, config } = configOptions() as Readonly<
  Record<"storage-roots" | "config", CommandOption>
>;

/** The options of the commands that copy storage roots. */
export const filesOptions: Readonly<Record<string, CommandOption>> = {
  "without-files": { summary: "leave published files out" },
  "storage-roots": roots,
  config,
};

interface FilesChoice {
  readonly withoutFiles: boolean;
  readonly storageRoots?: Readonly<Record<string, string>> | undefined;
}

export function filesOptionsOf(args: CommandArguments, terminal: Terminal): FilesChoice {
  if (args.values["without-files"] === true) return { withoutFiles: true };
  return { withoutFiles: false, ...storageRootsOf(configOf(args, terminal).config) };
}

/** The number and the size of the copied versions, for a sentence. */
export function filesText(files: { readonly versions: number; readonly bytes: number } | undefined): string {
  if (files === undefined) return ", without files";
  const { versions, bytes } = files;
  return versions === 0 ? "" : `, with ${String(versions)} versions of files (${String(bytes)} bytes)`;
}
