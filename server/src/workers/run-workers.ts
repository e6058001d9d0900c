/** A worker of this process for the jobs of the workspace. */
import type { Client } from "@holdfast/sdk";
import { runImageChild } from "./workspace/run-image-child.ts";
import { runWorkspaceJob, workspaceTypes } from "./workspace/run-workspace-job.ts";

interface WorkersOptions {
  readonly client: Client;
  /** Maximum jobs at the same time. */
  readonly slots: number;
  /** The folders of the storage roots on this host, by name. Files of other roots are sent. */
  readonly rootFolders: Readonly<Record<string, string>>;
  readonly name?: string;
  /** Informs the operator. */
  readonly report: (message: string) => void;
}

interface StartedWorkers {
  readonly types: readonly string[];
  readonly worker: Awaited<ReturnType<Client["jobs"]["work"]>>;
}

/** Offers slots for the jobs of the workspace. Without the image library it does not offer the types that need it. */
export async function runWorkers(options: WorkersOptions): Promise<StartedWorkers> {
  const { client, slots, rootFolders, name, report } = options;
  const hasImages = await hasImageLibrary();
  if (!hasImages)
    report("the library sharp is not installed, so this worker offers no jobs with images: npm install sharp");
  const types = workspaceTypes(hasImages);
  const rootFolder = (root: string): string | undefined => rootFolders[root];
  const worker = await client.jobs.work(types, (job) => runWorkspaceJob(job, client, rootFolder), {
    ...{ slots, name: name ?? "workspace" },
    onError: (error) => {
      report(error instanceof Error ? error.message : String(error));
    },
  });
  return { types, worker };
}

/** The library is loaded only by a process for images. */
async function hasImageLibrary(): Promise<boolean> {
  try {
    await runImageChild({ kind: "probe" }, { signal: new AbortController().signal });
    return true;
  } catch {
    return false;
  }
}
