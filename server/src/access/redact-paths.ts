/**
 * Redacts paths in replies and events. A lock may cover a set of paths, and a deadlock runs through paths of other
 * owners. The caller sees only those that it may read or lock.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { cycleText, isAllowed, pathOf } from "@holdfast/sdk/contract";
import type { CycleLink, NamedPath } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import type { CallerRights } from "./caller-rights.ts";

type PathData = Readonly<Record<string, unknown>>;

/** Whether the caller may see the holders of a path. */
export function maySeePath({ allow }: CallerRights, path: string): boolean {
  return isAllowed(allow, ["read", "lock"], path);
}

/** A reply without the paths that its caller may not see: in the cycle of a deadlock, and in the history of locks. */
export function redactPaths(rights: CallerRights, reply: CallReply): CallReply {
  const { outcome } = reply;
  if (outcome.kind === "refusal") {
    if (outcome.code !== "deadlock") return reply;
    const cycle = ownCycle(rights, outcome.data as unknown as Deadlock);
    return { ...reply, outcome: { ...outcome, data: { ...outcome.data, cycle, cycle_text: cycleText(cycle) } } };
  }
  const page = outcome.data as { readonly items?: readonly ListItem[] };
  if (page.items?.some(isLockEvent) !== true) return reply;
  const items = page.items.map((item) =>
    isLockEvent(item) ? { ...item, data: visibleData(rights, item.data) } : item,
  );
  return { ...reply, outcome: { ...outcome, data: { ...page, items } } };
}

interface ListItem {
  readonly event?: unknown;
  readonly data: PathData;
}

/** An item of a history whose event is about a lock. Only the history of locks has such items. */
function isLockEvent(item: ListItem): boolean {
  return typeof item.event === "string" && item.event.startsWith("evt.lock.");
}

/** The data of an event about locks without hidden paths of its set or cycle. The event's own path stays. */
function visibleData(rights: CallerRights, data: PathData): PathData {
  const { paths, of, cycle, ...rest } = data as {
    paths?: readonly NamedPath[];
    of?: string;
    cycle?: readonly CycleLink[];
  };
  return defined({
    ...rest,
    paths: paths?.filter((named) => maySeePath(rights, pathOf(named))),
    of: visiblePath(rights, of),
    cycle: cycle === undefined ? undefined : visibleCycle(rights, cycle),
  });
}

interface Deadlock {
  readonly requested_by: string;
  readonly cycle: readonly CycleLink[];
}

/** A caller sees its own links, even if the blocking path is above the paths that it may lock. */
function ownCycle(rights: CallerRights, { requested_by: requester, cycle }: Deadlock): readonly CycleLink[] {
  return cycle.map((link) => (link.owner_id === requester ? link : visibleLink(rights, link)));
}

export function visibleCycle(rights: CallerRights, cycle: readonly CycleLink[]): readonly CycleLink[] {
  return cycle.map((link) => visibleLink(rights, link));
}

function visibleLink(rights: CallerRights, { waits_for: wanted, path, ...rest }: CycleLink): CycleLink {
  return defined({ ...rest, waits_for: visiblePath(rights, wanted), path: visiblePath(rights, path) });
}

function visiblePath(rights: CallerRights, path: string | undefined): string | undefined {
  return path !== undefined && maySeePath(rights, path) ? path : undefined;
}
