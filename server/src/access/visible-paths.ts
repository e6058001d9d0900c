/**
 * Redacts paths in replies and events. A lock may cover a set of paths, and a deadlock runs through paths of other
 * owners. The caller sees only those that it may read or lock.
 */
import { cycleText, isAllowed } from "@holdfast/sdk/contract";
import type { CycleLink } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import type { CallerRights } from "./caller-rights.ts";

type PathData = Readonly<Record<string, unknown>>;
export type NamedPath = string | { readonly path: string };

/** Whether the caller may see the holders of a path. */
export function seesPath({ allow }: CallerRights, path: string): boolean {
  return isAllowed(allow, ["read", "lock"], path);
}

/** The path of a list item: some lists have modes next to each path. */
export function pathOf(named: NamedPath): string {
  return typeof named === "string" ? named : named.path;
}

/** A reply without the paths that its caller may not see. */
export function withVisiblePaths(standing: CallerRights, operation: string, reply: CallReply): CallReply {
  const { outcome } = reply;
  if (outcome.kind === "refusal") {
    if (outcome.code !== "deadlock") return reply;
    const cycle = ownCycle(standing, outcome.data as unknown as Deadlock);
    return { ...reply, outcome: { ...outcome, data: { ...outcome.data, cycle, cycle_text: cycleText(cycle) } } };
  }
  if (operation !== "list-lock-history") return reply;
  const page = outcome.data as { readonly items: readonly { readonly data: PathData }[] };
  const items = page.items.map((item) => ({ ...item, data: visibleFacts(standing, item.data) }));
  return { ...reply, outcome: { ...outcome, data: { ...page, items } } };
}

/** The data of an event about locks without hidden paths of its set or cycle. The event's own path stays. */
function visibleFacts(standing: CallerRights, facts: PathData): PathData {
  const { paths, of, cycle, ...rest } = facts as {
    paths?: readonly NamedPath[];
    of?: string;
    cycle?: readonly CycleLink[];
  };
  return {
    ...rest,
    ...(paths === undefined ? {} : { paths: paths.filter((named) => seesPath(standing, pathOf(named))) }),
    ...(of === undefined || !seesPath(standing, of) ? {} : { of }),
    ...(cycle === undefined ? {} : { cycle: visibleCycle(standing, cycle) }),
  };
}

interface Deadlock {
  readonly requested_by: string;
  readonly cycle: readonly CycleLink[];
}

/** A caller sees who blocks it, even where the blocking path is above what it may lock. */
function ownCycle(standing: CallerRights, { requested_by: asker, cycle }: Deadlock): readonly CycleLink[] {
  return cycle.map((link) => (link.owner_id === asker ? link : visibleLink(standing, link)));
}

export function visibleCycle(standing: CallerRights, cycle: readonly CycleLink[]): readonly CycleLink[] {
  return cycle.map((link) => visibleLink(standing, link));
}

function visibleLink(standing: CallerRights, { waits_for: wanted, path, ...rest }: CycleLink): CycleLink {
  return {
    ...rest,
    ...(wanted === undefined || !seesPath(standing, wanted) ? {} : { waits_for: wanted }),
    ...(path === undefined || !seesPath(standing, path) ? {} : { path }),
  };
}
