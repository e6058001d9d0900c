import { defined } from "@holdfast/sdk/base/defined";
import { resolve } from "node:path";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";

export const filesPublishCommand: CliCommand = serverCommand({
  name: "files publish",
  usage: "TARGET FOLDER",
  positionalsMin: 2,
  positionalsMax: 2,
  summary: "publish the files of a folder as the next version of a target",
  details: [
    "Waits for the write lock of the target, uploads every file and makes them current all at once. A reader sees the",
    "version before or the whole new one. If the command is interrupted, nothing is published.",
    "",
    "  holdfast files publish site/docs ./build",
  ],
  options: { root: { value: "NAME", summary: "the storage root, if there are several" } },
  operations: ["files.open", "files.upload", "files.commit", "files.abort"],
  async execute({ positionals: [target = "", folder = ""], values, connect, show }) {
    const root = textOption(values, "root");
    await using client = await connect();
    const options = defined({ root });
    const version = await client.files.publishFolder(target, resolve(folder), options).catch((error: unknown) => {
      // Any other error is about the folder.
      if (error instanceof HoldfastError) throw error;
      throw new UsageError(`${folder} cannot be published: ${(error as Error).message}`);
    });
    return show(
      version,
      () =>
        `${target} is published as version ${String(version.version)}: ` +
        `${String(version.files)} files, ${String(version.bytes)} bytes.`,
    );
  },
});
