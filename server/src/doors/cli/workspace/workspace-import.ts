import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { defined } from "@holdfast/sdk/base/defined";
import { systemIds } from "../../../base/ids.ts";
import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { showRequestedJob, watchJobDetails, watchJobOption } from "./show-requested-job.ts";
import type { RequestedJob } from "./show-requested-job.ts";

export const workspaceImportCommand: CliCommand = serverCommand({
  name: "workspace import",
  usage: "PROJECT MAP FILE",
  positionalsMin: 3,
  positionalsMax: 3,
  summary: "upload an image and make it the floorplan of a map",
  details: [
    "Uploads FILE, a PNG, JPEG, WebP or TIFF image, and requests its import. The job checks the whole image before it",
    "becomes the floorplan. If the request is refused, the upload is deleted.",
    ...watchJobDetails,
    "",
    "  holdfast workspace import p1 m1 plan.png --watch",
    "  holdfast workspace import p1 m1 plan.png --tiles",
  ],
  options: {
    tiles: { summary: "generate the tiles as well" },
    root: { value: "NAME", summary: "the storage root of the upload, if there are several" },
    ...watchJobOption,
  },
  operations: ["files.open", "files.upload", "files.commit", "files.delete", "workspace.import-floorplan", "jobs.get"],
  async execute(context) {
    return showRequestedJob(context, await uploadAndRequest(context));
  },
});

async function uploadAndRequest(context: CommandContext): Promise<RequestedJob> {
  const { positionals, values, terminal, connect, run } = context;
  const [project = "", map = "", given = ""] = positionals;
  const file = resolve(terminal.folder, given);
  await checkFile(file, given);
  const upload = systemIds.unique();
  const target = `import/${project}/${upload}`;
  const path = basename(file);
  await using client = await connect();
  // The lock is held until the request is answered, so that a refused upload can be deleted.
  await using lock = await client.acquire({ path: target, mode: "write", scope: "tree" });
  const { fence } = lock;
  await using publish = await client.files.publish(target, { fence, ...defined({ root: textOption(values, "root") }) });
  await publish.write(path, createReadStream(file) as AsyncIterable<Uint8Array>);
  await publish.commit();
  const tiles = values["tiles"] === true ? true : undefined;
  try {
    return (await run("workspace.import-floorplan", defined({ project, map, upload, path, tiles }))) as RequestedJob;
  } catch (error) {
    // The job may exist if the reply was lost.
    const isRefused = error instanceof HoldfastError && error.code !== "outcome_unknown";
    // The refusal is the error to report, not a failed cleanup.
    if (isRefused) await client.files.delete(target, fence).catch(() => undefined);
    throw error;
  }
}

async function checkFile(file: string, given: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    throw new UsageError(`${given} cannot be read: ${(error as Error).message}`);
  });
  if (!found.isFile()) throw new UsageError(`${given} is not a file`);
}
