/** The job types of the workspace and the functions that do their work. */
import { HoldfastError } from "@holdfast/sdk";
import type { Client } from "@holdfast/sdk";
import { FatalJobError } from "@holdfast/sdk/running-job";
import type { RunningJob } from "@holdfast/sdk/running-job";
import { backup } from "./backup.ts";
import { exportMap } from "./export-map.ts";
import { finalCodes } from "./final-codes.ts";
import { generateTiles } from "./generate-tiles.ts";
import { importFloorplan } from "./import-floorplan.ts";
import { importObjects } from "./import-objects.ts";
import { recalculate } from "./recalculate.ts";
import { restore } from "./restore.ts";
import { ImageFault } from "./run-image-child.ts";
import { WaitFault, WorkInputFault, workspaceJob } from "./workspace-job.ts";
import type { WorkspaceJob } from "./workspace-job.ts";

type Handler = (job: WorkspaceJob) => Promise<unknown>;

/** The types that decode images. A worker without the image library does not offer them. */
const imageHandlers: Readonly<Record<string, Handler>> = {
  "workspace.import-floorplan": importFloorplan,
  "workspace.generate-tiles": generateTiles,
};

const handlers: Readonly<Record<string, Handler>> = {
  ...imageHandlers,
  "workspace.export-map": exportMap,
  "workspace.import": importObjects,
  "workspace.recalculate": recalculate,
  "workspace.backup": backup,
  "workspace.restore": restore,
};

/** The types of jobs whose project has no files, and those of jobs in some storage roots. */
export function workspaceTypes(hasImages: boolean, roots: readonly string[]): readonly string[] {
  const types = Object.keys(handlers).filter((type) => hasImages || !(type in imageHandlers));
  return [...types, ...roots.flatMap((root) => types.map((type) => `${type}@${root}`))];
}

/** Refusals of a node that does not have the root, or does not have it yet. */
const rootCodes: readonly string[] = ["files.root_elsewhere", "files.root_unavailable"];

/** Time after which a job looks again for its root, or for the end of a reader. */
const againMs = 30_000;

/** Runs a job. A cause that stays fails it without a retry. An unavailable root costs it no attempt. */
export async function runWorkspaceJob(
  job: RunningJob,
  client: Client,
  rootFolder: WorkspaceJob["rootFolder"],
): Promise<unknown> {
  const handler = handlers[job.type];
  if (handler === undefined) throw new FatalJobError(`no worker knows jobs of the type ${job.type}`);
  try {
    return await handler(workspaceJob(job, client, rootFolder));
  } catch (error) {
    if (error instanceof WorkInputFault || error instanceof ImageFault) throw new FatalJobError(error.message);
    const isOfRoot = error instanceof HoldfastError && rootCodes.includes(error.code);
    if (isOfRoot || error instanceof WaitFault) {
      job.progress(undefined, isOfRoot ? `waits for a storage root: ${error.message}` : `waits: ${error.message}`);
      throw job.snooze(againMs);
    }
    if (error instanceof HoldfastError && finalCodes.has(error.code))
      throw new FatalJobError(error.message, { cause: error });
    throw error;
  }
}
