/** A worker of this process for the jobs of the workspace. */
import type { Clock } from "../base/clock.ts";
import { watchRoots, rootsOf } from "./watch-roots.ts";
import type { ReachedNodes } from "./watch-roots.ts";
import { removeOrphanedFolders } from "./workspace/temporary-folder.ts";
import { runImageChild } from "./workspace/run-image-child.ts";
import { runWorkspaceJob, workspaceTypes } from "./workspace/run-workspace-job.ts";

interface WorkersOptions extends ReachedNodes {
  /** Maximum jobs at the same time. */
  readonly slots: number;
  /** The folders of storage roots on this host, by name: only jobs in these roots are taken. */
  readonly rootFolders: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly name?: string;
  /** Informs the operator. */
  readonly report: (message: string) => void;
}

interface StartedWorkers extends AsyncDisposable {
  readonly types: readonly string[];
  readonly roots: readonly string[];
}

/** Offers slots for the jobs of the workspace. Without the image library it does not offer the types that need it. */
export async function runWorkers(options: WorkersOptions): Promise<StartedWorkers> {
  const { client, addresses, slots, rootFolders, clock, name, report } = options;
  // A worker that cannot read the temporary folder starts anyway.
  const orphaned = await removeOrphanedFolders().catch(() => 0);
  if (orphaned > 0) report(`removed ${String(orphaned)} temporary folders of workers that were killed`);
  const hasImages = await hasImageLibrary();
  if (!hasImages)
    report("the library sharp is not installed, so this worker offers no jobs with images: npm install sharp");
  const named = Object.keys(rootFolders);
  const roots = named.length > 0 ? named : await rootsOf(options);
  const types = workspaceTypes(hasImages, []);
  const rootFolder = (root: string): string | undefined => rootFolders[root];
  const worker = await client.jobs.work(
    workspaceTypes(hasImages, roots),
    (job) => runWorkspaceJob(job, client, rootFolder),
    {
      ...{ slots, name: name ?? "workspace" },
      onError: (error) => {
        report(error instanceof Error ? error.message : String(error));
      },
      onReconnect: () => {
        report("the server answers again");
      },
    },
  );
  const onRoots = (now: readonly string[]): Promise<void> => worker.setTypes(workspaceTypes(hasImages, now));
  const stopWatching = named.length > 0 ? () => undefined : watchRoots({ client, addresses, clock, roots, onRoots });
  return {
    types,
    roots,
    async [Symbol.asyncDispose]() {
      stopWatching();
      await worker.close();
    },
  };
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
