import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Client } from "@holdfast/sdk";
import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";

/** Maximum files that are uploaded at the same time. */
const uploadsMax = 8;

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
    const paths = await filesIn(resolve(folder));
    const root = textOption(values, "root");
    await using client = await connect();
    await using publish = await client.files.publish(target, root === undefined ? {} : { root });
    await uploadAll(publish, resolve(folder), paths);
    const version = await publish.commit();
    return show(
      version,
      () =>
        `${target} is published as version ${String(version.version)}: ` +
        `${String(version.files)} files, ${String(version.bytes)} bytes.`,
    );
  },
});

type OpenPublish = Awaited<ReturnType<Client["files"]["publish"]>>;

async function uploadAll(publish: OpenPublish, folder: string, paths: readonly string[]): Promise<void> {
  const left = paths.values();
  const upload = async (): Promise<void> => {
    for (const path of left) await publish.write(path, createReadStream(join(folder, path)));
  };
  await Promise.all(Array.from({ length: Math.min(uploadsMax, paths.length) }, upload));
}

/** The regular files of a folder. A link may lead anywhere, so it is refused. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw new UsageError(`${folder} cannot be read: ${(error as Error).message}`);
  });
  const other = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (other !== undefined)
    throw new UsageError(`${join(other.parentPath, other.name)} is not a regular file, and only those are published`);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}
