import type { DecideContext } from "../../../machine/feature.ts";
import { conflictingHolds } from "../queue/blockers.ts";
import { releaseRequestEvents } from "../rules/request-release.ts";
import type { PathLock } from "../tables/modes.ts";
import { lockLimits } from "../tables/settings.ts";

/** Asks every other holder that blocks one of these locks to release it, as the operation `request-release` does. */
export function requestRelease(
  context: DecideContext,
  paths: readonly PathLock[],
  request: { readonly by: string; readonly reason: string },
): void {
  const { state } = context;
  const holders = paths.flatMap((wanted) => conflictingHolds(state, wanted, request.by, lockLimits.countedMax));
  for (const event of releaseRequestEvents(state, holders, request)) context.emit(event);
}
