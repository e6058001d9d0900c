import type { ModelPath } from "../locks/lock-model.ts";

const strength = { read: 0, upgradeable: 1, write: 2 } as const;

/** Whether a held path covers a need. This second definition shares no code with the pack. */
export function coversNeed(held: ModelPath, need: ModelPath): boolean {
  if (strength[held.mode] < strength[need.mode]) return false;
  if (held.path === need.path) return held.scope === "tree" || need.scope === "self";
  return held.scope === "tree" && need.path.startsWith(`${held.path}/`);
}
