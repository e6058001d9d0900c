/**
 * One step of a deadlock's cycle. Paths that the caller may neither read nor lock are left out. A parent that waits for
 * its child waits for no path.
 */
export interface CycleLink {
  readonly owner_id: string;
  readonly waits_for?: string;
  readonly path?: string;
  readonly blocked_by: string;
  readonly as: "holder" | "waiter" | "child";
}

const hiddenPath = "a path that you may not read";

/** The cycle as a sentence. */
export function cycleText(cycle: readonly CycleLink[]): string {
  return cycle
    .map(({ owner_id: owner, waits_for: wanted = hiddenPath, path = hiddenPath, blocked_by: blocker, as }) => {
      if (as === "child") return `${owner} waits for its child ${blocker}`;
      const relation = as === "holder" ? "holds" : "waits for";
      return `${owner} waits for ${wanted}, because ${blocker} ${relation} ${path}`;
    })
    .join("; ");
}
