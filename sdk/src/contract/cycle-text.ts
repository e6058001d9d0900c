/** One step of a deadlock's cycle. Paths that the caller may neither read nor lock are left out. */
export interface CycleLink {
  readonly owner_id: string;
  readonly waits_for?: string;
  readonly path?: string;
  readonly blocked_by: string;
  readonly as: "holder" | "waiter";
}

const untold = "a path that you may not read";

/** The cycle as a sentence. */
export function cycleText(cycle: readonly CycleLink[]): string {
  return cycle
    .map(({ owner_id: who, waits_for: wanted = untold, path = untold, blocked_by: other, as }) => {
      const does = as === "holder" ? "holds" : "waits for";
      return `${who} waits for ${wanted}, because ${other} ${does} ${path}`;
    })
    .join("; ");
}
