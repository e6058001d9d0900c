/**
 * What answers and events tell of paths. A lock may be on a set of paths, and a deadlock runs through the paths of others:
 * whoever asks about one of them learns of the others only what it may read or lock.
 */
import { cycleText, isAllowed } from "@holdfast/sdk/contract";
import type { CycleLink } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import type { Standing } from "./standing.ts";

type Facts = Readonly<Record<string, unknown>>;
export type NamedPath = string | { readonly path: string };

/** Whether somebody sees who locks a path. */
export function seesPath({ allow }: Standing, path: string): boolean {
  return isAllowed(allow, ["read", "lock"], path);
}

/** The path of an item in a list of paths: some lists hold modes beside each of them. */
export function pathOf(named: NamedPath): string {
  return typeof named === "string" ? named : named.path;
}

/** An answer without the paths that its caller may not see. */
export function withVisiblePaths(standing: Standing, operation: string, reply: CallReply): CallReply {
  const { outcome } = reply;
  if (outcome.kind === "refusal") {
    if (outcome.code !== "deadlock") return reply;
    const cycle = ownCycle(standing, outcome.data as unknown as Deadlock);
    return { ...reply, outcome: { ...outcome, data: { ...outcome.data, cycle, cycle_text: cycleText(cycle) } } };
  }
  if (operation !== "list-lock-history") return reply;
  const page = outcome.data as { readonly items: readonly { readonly data: Facts }[] };
  const items = page.items.map((item) => ({ ...item, data: visibleFacts(standing, item.data) }));
  return { ...reply, outcome: { ...outcome, data: { ...page, items } } };
}

/** What an event about locks tells: the other paths of its set, and those of a cycle. The path that it is about stays. */
function visibleFacts(standing: Standing, facts: Facts): Facts {
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

/** Whoever asked is told who is in its own way, also where that lies above what it may lock. */
function ownCycle(standing: Standing, { requested_by: asker, cycle }: Deadlock): readonly CycleLink[] {
  return cycle.map((link) => (link.owner_id === asker ? link : visibleLink(standing, link)));
}

export function visibleCycle(standing: Standing, cycle: readonly CycleLink[]): readonly CycleLink[] {
  return cycle.map((link) => visibleLink(standing, link));
}

function visibleLink(standing: Standing, { waits_for: wanted, path, ...rest }: CycleLink): CycleLink {
  return {
    ...rest,
    ...(wanted === undefined || !seesPath(standing, wanted) ? {} : { waits_for: wanted }),
    ...(path === undefined || !seesPath(standing, path) ? {} : { path }),
  };
}
