export type Mode = "read" | "upgradeable" | "write";
export type Scope = "tree" | "self";

/** One path of a lock, and how it is taken. */
export interface LockedPath {
  readonly path: string;
  readonly mode: Mode;
  readonly scope: Scope;
}

export const strength: Readonly<Record<Mode, number>> = { read: 0, upgradeable: 1, write: 2 };

/** Every mode, by strength. */
export const modes: readonly Mode[] = ["read", "upgradeable", "write"];

/** True if whoever has `held` needs nothing more to do what `wanted` allows. */
export function covers(held: Pick<LockedPath, "mode" | "scope">, wanted: Pick<LockedPath, "mode" | "scope">): boolean {
  return strength[held.mode] >= strength[wanted.mode] && (held.scope === "tree" || wanted.scope === "self");
}
