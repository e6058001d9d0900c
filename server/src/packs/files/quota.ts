/** The bytes of roots and quotas, as folds count them and as a publish asks for them. */
import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import { refused } from "../../features/locks/rules/owner.ts";
import type { Decision } from "../../machine/feature.ts";
import type { StateReader, StateWriter } from "../../machine/state.ts";
import { fileLimits, quotaTable, rootTable } from "./file-tables.ts";
import type { QuotaRow } from "./file-tables.ts";

interface CountedTarget {
  readonly root: string;
  readonly target: string;
}

function quotasOf(state: StateReader, target: string): readonly QuotaRow[] {
  const rows = state.rows(quotaTable);
  if (rows.size === 0) return [];
  return rows.scan("under", { limit: fileLimits.quotasMax }).filter(({ under }) => isAtOrBelow(target, under));
}

/** Adds to the bytes of the root and of every quota of a target. */
export function countBytes(
  state: StateWriter,
  { root, target }: CountedTarget,
  { bytes = 0, reserved = 0 }: { readonly bytes?: number; readonly reserved?: number },
): void {
  const row = state.rows(rootTable).get(root);
  if (row !== undefined)
    state.rows(rootTable).put({ ...row, bytes: row.bytes + bytes, reserved: row.reserved + reserved });
  for (const quota of quotasOf(state, target))
    state.rows(quotaTable).put({ ...quota, bytes: quota.bytes + bytes, reserved: quota.reserved + reserved });
}

/** The refusal of a publish that could exceed a quota; undefined if it fits. */
export function quotaRefusal(
  state: StateReader,
  { root, target }: CountedTarget,
  bytesMax: number,
): Decision | undefined {
  const row = state.rows(rootTable).get(root);
  const limits = [
    { quota: `root ${root}`, bytes_max: row?.bytesMax, used: (row?.bytes ?? 0) + (row?.reserved ?? 0) },
    ...quotasOf(state, target).map((quota) => ({
      quota: quota.under,
      bytes_max: quota.bytesMax,
      used: quota.bytes + quota.reserved,
    })),
  ];
  for (const { quota, bytes_max: limit, used } of limits)
    if (limit !== undefined && used + bytesMax > limit)
      return refused("files.quota_exceeded", { quota, bytes_max: limit, used });
  return undefined;
}
