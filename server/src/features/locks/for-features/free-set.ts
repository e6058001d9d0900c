/** The end of a grant of a feature, and its claim by a job. */
import type { DecideContext } from "../../../machine/feature.ts";
import { breakReleaseDeadlocks } from "../queue/break-release-deadlocks.ts";
import { freeGrant } from "../queue/free-grant.ts";
import type { FreeingType } from "../tables/lock-events.ts";
import { grantTable } from "../tables/lock-tables.ts";

/**
 * Frees a grant or some of its paths, and grants the next tickets. A grant that has ended stays ended. Never call it in a
 * reaction: that runs inside the hand-over.
 */
export function freeSet(
  context: DecideContext,
  fence: string,
  { type = "lock.released", paths }: { readonly type?: FreeingType; readonly paths?: readonly string[] } = {},
): void {
  const row = context.state.rows(grantTable).get(fence);
  if (row === undefined) return;
  const held = row.paths.map(({ path }) => path);
  const freed = paths === undefined ? held : held.filter((path) => paths.includes(path));
  if (freed.length === 0) return;
  freeGrant(context, row, { type, paths: freed });
  breakReleaseDeadlocks(
    context,
    row.owner,
    row.paths.filter(({ path }) => freed.includes(path)),
  );
}

/** Records that an active job claims a grant, or with null that its claim has ended. A claimed grant is not recovered. */
export function setJob(context: DecideContext, fence: string, job: string | null): void {
  if (context.state.rows(grantTable).get(fence) === undefined) return;
  context.emit({ type: "lock.job_claimed", subject: "locks", data: { fence, job } });
}
