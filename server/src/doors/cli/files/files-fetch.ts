import { defined } from "@holdfast/sdk/base/defined";
import { createHash } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { Client } from "@holdfast/sdk";
import { guardOf, isOfProject } from "@holdfast/sdk/contract";
import { numberOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";

/** Time for which the version is kept while its files are read. */
const pinMs = 3_600_000;
const pageMax = 1_000;

export const filesFetchCommand: CliCommand = serverCommand({
  name: "files fetch",
  usage: "TARGET FOLDER",
  positionalsMin: 2,
  positionalsMax: 2,
  summary: "fetch a published version into a new folder",
  details: [
    "Makes the folder and writes every file of the current version into it. The digest of each file is checked. The",
    "version is kept on the server until the command has ended.",
    "",
    "  holdfast files fetch site/docs ./docs",
    "  holdfast files fetch site/docs ./docs-3 --version 3",
  ],
  options: { version: { value: "NUMBER", summary: "a version that is still kept; the current one by default" } },
  operations: ["files.pin", "files.list", "files.content"],
  async execute({ positionals: [target = "", given = ""], values, connect, show }) {
    const wanted = numberOption(values, "version", 1);
    const folder = resolve(given);
    await using client = await connect();
    await using _lock = await readLockOf(client, target);
    const pinned = { target, ttlMs: pinMs };
    const { version } = await client.files.pin(wanted === undefined ? pinned : { ...pinned, version: wanted });
    await mkdir(folder).catch((error: unknown) => {
      throw new UsageError(`${folder} cannot be made: ${(error as Error).message}`);
    });
    const place = { target, version, folder };
    let files = 0;
    let after: string | undefined;
    do {
      const page = await client.files.list(target, defined({ version, limit: pageMax, after }));
      for (const file of page.items) await fetchFile(client, place, file);
      files += page.items.length;
      after = page.next ?? undefined;
    } while (after !== undefined);
    return show(
      { target, version, files, folder },
      () => `Version ${String(version)} of ${target}: ${String(files)} files.`,
    );
  },
});

/** Files of a project, map or sketch are read under its lock. */
async function readLockOf(client: Client, target: string): Promise<AsyncDisposable | undefined> {
  return isOfProject(target) ? await client.acquire({ path: guardOf(target), mode: "read" }) : undefined;
}

interface FetchedVersion {
  readonly target: string;
  readonly version: number;
  readonly folder: string;
}

interface FetchedFile {
  readonly path: string;
  readonly sha256: string;
}

async function fetchFile(
  client: Client,
  { target, version, folder }: FetchedVersion,
  { path, sha256 }: FetchedFile,
): Promise<void> {
  const file = join(folder, path);
  // The server checks names. A server that does not must not write elsewhere.
  if (!file.startsWith(folder + sep))
    throw new Error(`the server sent the path ${JSON.stringify(path)}, which leads outside`);
  await mkdir(dirname(file), { recursive: true });
  const hash = createHash("sha256");
  const stream = await client.files.open(target, path, { version });
  {
    await using handle = await open(file, "wx");
    for await (const chunk of stream.open()) {
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
  }
  if (hash.digest("hex") === sha256) return;
  await rm(file);
  throw new Error(`${path} arrived damaged: its digest is not ${sha256}`);
}
