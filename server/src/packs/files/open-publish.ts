import { defined } from "@holdfast/sdk/base/defined";
import { guardOf, partBytesMax } from "@holdfast/sdk/contract";
import { presentedFault } from "../../features/locks/for-features/holds-lock.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import type { Scope } from "../../features/locks/tables/modes.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import { spaceFull } from "../../features/space/space-full.ts";
import { currentEpoch } from "../../features/space/space-table.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { fileLimits, fileSubject, publishTable, rootTable, targetTable } from "./file-tables.ts";
import type { RootRow } from "./file-tables.ts";
import { quotaRefusal } from "./quota.ts";
import { decideTarget } from "./target-rule.ts";
import type { TargetRules } from "./target-rule.ts";

interface OpenInput {
  readonly target: string;
  readonly fence: string;
  readonly root?: string;
  readonly bytes_max?: number;
  readonly expected_version?: number;
  readonly timeout_seconds?: number;
  readonly in_place?: string;
}

/** Step 1: the write lock on the guard is held. The id contains epoch and position, so no folder ever had its name. */
export function openPublish(rules: TargetRules, input: OpenInput, context: DecideContext): Decision {
  const { target, fence, bytes_max: bytesMax = fileLimits.defaultBytesMax, expected_version: expected } = input;
  const isInPlace = input.in_place === undefined ? undefined : true;
  const { state, position, time, command, emit } = context;
  const root = rootOf(input, context);
  if ("outcome" in root) return root;
  const refusal =
    fenceRefusal(context, target, { fence, scope: "self" }) ??
    decideTarget(rules, context, { use: "open", target, fence }) ??
    versionRefusal(context, target, expected) ??
    spaceFull(context) ??
    fullRefusal(context, root.root) ??
    quotaRefusal(state, { root: root.root, target }, bytesMax);
  if (refusal !== undefined) return refusal;
  const id = `p${String(currentEpoch(state))}-${String(position)}`;
  const until = time + (input.timeout_seconds ?? fileLimits.defaultTimeoutSeconds) * 1_000;
  const { root: name, session } = root;
  const { principal } = command;
  const row = defined({
    id,
    root: name,
    session,
    principal,
    fence,
    bytes_max: bytesMax,
    expected,
    is_in_place: isInPlace,
    until,
  });
  emit({ type: "files.opened", subject: fileSubject(target), data: row });
  const view = { id, target, root: name, bytes_max: bytesMax, opened_by: principal, expires_at: iso(until) };
  return { outcome: done({ ...view, part_bytes_max: partBytesMax }), events: [], attachment: {} };
}

/** The root that the caller names, or the only one. Nothing is guessed. */
function rootOf({ root, in_place: folderId }: OpenInput, { state }: DecideContext): RootRow | Decision {
  const rows = state.rows(rootTable).scan("root", { limit: 1_000 });
  const roots = rows.map((row) => row.root);
  if (root === undefined && rows.length > 1) return refused("files.root_ambiguous", { roots });
  const row = root === undefined ? rows[0] : rows.find((each) => each.root === root);
  if (row === undefined) return refused("files.root_unknown", defined({ root, roots }));
  // The publisher has another folder under this name.
  if (folderId !== undefined && folderId !== row.rootId) return refused("files.root_mismatch", { root: row.root });
  if (row.degraded !== undefined) return refused("files.root_degraded", { root: row.root, reason: row.degraded });
  return row;
}

/** The refusal of a fence that is not of a live write lock on the guard of a target. */
export function fenceRefusal(
  context: DecideContext,
  target: string,
  { fence, scope }: { readonly fence: string; readonly scope: Scope },
): Decision | undefined {
  const path = guardOf(target);
  const reason = presentedFault(context, path, { mode: "write", scope, fence });
  return reason === undefined ? undefined : refused("fence_stale", { path, fence, reason });
}

export function versionRefusal(
  { state }: DecideContext,
  target: string,
  expected: number | undefined,
): Decision | undefined {
  const current = state.rows(targetTable).get(target)?.version ?? 0;
  if (expected === undefined || expected === current) return undefined;
  return refused("files.version_conflict", { target, expected, current });
}

function fullRefusal({ state }: DecideContext, root: string): Decision | undefined {
  const limit = fileLimits.publishesMax;
  const running = state.rows(publishTable).scan("root", { prefix: `${root}${gap}`, limit });
  if (running.length < limit) return undefined;
  return refused("files.publishes_full", { root, limit, retry_after_ms: 1_000 });
}
