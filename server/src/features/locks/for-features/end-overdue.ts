import type { DecideContext } from "../../../machine/feature.ts";
import { blockerNow } from "../queue/enqueue.ts";
import type { PathLock } from "../tables/modes.ts";

/**
 * Ends overdue grants and tickets that block a set, and grants the next tickets. A feature whose reactions use the freed
 * locks calls it before it decides about the set. Never call it in a reaction: that runs inside the hand-over.
 */
export function endOverdue(context: DecideContext, owner: string, paths: readonly PathLock[]): void {
  blockerNow(context, { owner, rank: Infinity, paths });
}
