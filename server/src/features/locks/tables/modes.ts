export type Mode = "read" | "upgradeable" | "write";
export type Scope = "tree" | "self";

/** One path of a lock with its mode and scope. */
export interface PathLock {
  readonly path: string;
  readonly mode: Mode;
  readonly scope: Scope;
}

export const strength: Readonly<Record<Mode, number>> = { read: 0, upgradeable: 1, write: 2 };

/** Every mode, by strength. */
export const modes: readonly Mode[] = ["read", "upgradeable", "write"];

/** True if `held` allows everything that `wanted` allows. */
export function covers(held: Pick<PathLock, "mode" | "scope">, wanted: Pick<PathLock, "mode" | "scope">): boolean {
  return strength[held.mode] >= strength[wanted.mode] && (held.scope === "tree" || wanted.scope === "self");
}
