/** A project as the command line shows it: its record, its maps, its sketches and its unfinished jobs. */
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { readPages } from "../discovery/read-pages.ts";
import type { ServerCaller } from "../discovery/server-caller.ts";
import { unfinishedStates } from "../job/unfinished-states.ts";
import type { WireJob } from "../job/wire-job.ts";

interface WireProject {
  readonly project: string;
  readonly name: string;
  readonly description?: string;
  readonly root?: string;
  readonly roles: Readonly<Record<string, string>>;
}

interface WireMap {
  readonly map: string;
  readonly name: string;
  readonly sketches: number;
}

interface WireSketch {
  readonly map: string;
  readonly sketch: string;
  readonly name: string;
  readonly objects: number;
}

export interface ShownProject {
  readonly project: WireProject;
  readonly maps: readonly WireMap[];
  readonly sketches: readonly WireSketch[];
  /** Null if the caller may not read jobs. */
  readonly jobs: readonly WireJob[] | null;
  /** Whether there are more maps, sketches or jobs than the limit. */
  readonly more: boolean;
}

interface ItemPage<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Reads at most `limit` maps, as many sketches and as many jobs. Each request takes the read lock for itself alone. */
export async function readProject(
  { run }: Pick<ServerCaller, "run">,
  id: string,
  limit: number,
): Promise<ShownProject> {
  const query = { project: id, lock: "take" };
  const project = (await run("workspace.get-project", query)) as WireProject;
  const maps = await readPages(
    limit,
    async (part) => (await run("workspace.list-maps", { ...query, ...part })) as ItemPage<WireMap>,
  );
  const sketches = await readEach(
    limit,
    maps.items.filter((map) => map.sketches > 0),
    async ({ map }, part) => (await run("workspace.list-sketches", { ...query, map, ...part })) as ItemPage<WireSketch>,
  );
  const jobs = await readEach(
    limit,
    unfinishedStates,
    async (state, part) => (await run("jobs.list", { project: id, state, ...part })) as ItemPage<WireJob>,
  ).catch((error: unknown) => {
    if (error instanceof HoldfastError && error.code === "not_allowed") return undefined;
    throw error;
  });
  const more = maps.next !== null || sketches.more || jobs?.more === true;
  return { project, maps: maps.items, sketches: sketches.items, jobs: jobs?.items ?? null, more };
}

/** The items of several lists, up to a limit of all together. */
async function readEach<Source, Item>(
  limit: number,
  sources: readonly Source[],
  read: (source: Source, part: object) => Promise<ItemPage<Item>>,
): Promise<{ readonly items: readonly Item[]; readonly more: boolean }> {
  const items: Item[] = [];
  for (const [index, source] of sources.entries()) {
    const page = await readPages(limit - items.length, (part) => read(source, part));
    items.push(...page.items);
    if (page.next !== null) return { items, more: true };
    if (items.length >= limit) return { items, more: index < sources.length - 1 };
  }
  return { items, more: false };
}
