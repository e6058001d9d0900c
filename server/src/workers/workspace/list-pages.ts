import type { Json } from "@holdfast/sdk/json/json";
import { ask } from "./workspace-job.ts";
import type { WorkspaceJob } from "./workspace-job.ts";

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Maximum items of a page. */
const pageMax = 1_000;

/** The items of a list of the workspace, page by page. */
export async function* listPages<Item>(
  job: WorkspaceJob,
  operation: string,
  input: object,
): AsyncGenerator<Item, void, undefined> {
  let after: string | null = null;
  do {
    const place: object = after === null ? input : { ...input, after };
    const page: Page<Item> = await ask<Page<Item>>(job, operation, { ...place, limit: pageMax });
    yield* page.items;
    after = page.next;
  } while (after !== null);
}

/** A record of a project. The first is the project itself, with an empty id. */
export interface ProjectRecord {
  readonly type: string;
  readonly id: string;
  readonly value: Json;
}

/** All records of a project, in the order in which they can be written again. */
export function recordsOf(job: WorkspaceJob): AsyncGenerator<ProjectRecord, void, undefined> {
  return listPages<ProjectRecord>(job, "list-records", { project: job.payload.project });
}
