/** Which locks of different owners exclude each other. The machine decides by it, and the client refuses early by it. */
import { isAtOrBelow } from "./is-at-or-below.ts";

type Mode = "read" | "upgradeable" | "write";

/** Which modes exclude each other. It is symmetric. The strongest come first, since they are the usual reason. */
export const lockConflicts: Readonly<Record<Mode, readonly Mode[]>> = {
  read: ["write"],
  upgradeable: ["write", "upgradeable"],
  write: ["write", "upgradeable", "read"],
};

interface LockedPath {
  readonly path: string;
  readonly mode: Mode;
  readonly scope: "tree" | "self";
}

/** Whether two paths, as they are locked, exclude each other. */
export function areInConflict(a: LockedPath, b: LockedPath): boolean {
  if (!lockConflicts[a.mode].includes(b.mode)) return false;
  return a.path === b.path || isWithin(a, b) || isWithin(b, a);
}

function isWithin({ path }: LockedPath, tree: LockedPath): boolean {
  return tree.scope === "tree" && isAtOrBelow(path, tree.path);
}
