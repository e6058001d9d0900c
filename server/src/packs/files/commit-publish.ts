import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { freeSet } from "../../features/locks/for-features/free-set.ts";
import { refused as refuse } from "../../features/locks/rules/owner.ts";
import { spaceFull } from "../../features/space/space-full.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import type { StateReader } from "../../machine/state.ts";
import { fileSettings } from "./file-settings.ts";
import {
  fileLimits,
  fileSubject,
  forgottenTable,
  publishTable,
  retiredTable,
  rootTable,
  targetTable,
  versionKey,
  versionTable,
} from "./file-tables.ts";
import type { PublishRow } from "./file-tables.ts";
import { versionView } from "./version-view.ts";
import { fenceRefusal, versionRefusal } from "./open-publish.ts";
import { decideTarget } from "./target-rule.ts";
import type { TargetRules } from "./target-rule.ts";

interface CommitInput {
  readonly id: string;
  readonly meta?: JsonObject;
  readonly release?: boolean;
}

/** The evidence of the node: the result of steps 2 to 7, or why they failed. */
interface CommitEvidence {
  readonly id: string;
  readonly session: string;
  readonly sealed?: { readonly files: number; readonly bytes: number; readonly digest: string };
  readonly fault?: { readonly code: string; readonly data: JsonObject; readonly degrades: boolean };
}

/** Steps 8 to 10: the version becomes current if its lock is held in this entry. */
export function commitPublish(rules: TargetRules, input: CommitInput, context: DecideContext): Decision {
  const { id, meta, release } = input;
  const { state, command, emit } = context;
  const row = ownPublish(context, id);
  if ("outcome" in row) return row;
  const { target, root, fence, expected } = row;
  const refused =
    metaRefusal(meta) ??
    fenceRefusal(context, target, { fence, scope: "self" }) ??
    decideTarget(rules, context, { use: "commit", target, fence }) ??
    versionRefusal(context, target, expected) ??
    spaceFull(context);
  if (refused !== undefined) return refused;
  const evidence = evidenceOf(command.evidence, row);
  if (evidence === undefined) return { outcome: refusal("check_stale"), events: [], again: true };
  const { sealed, fault } = evidence;
  if (sealed === undefined) return failedCommit(context, row, fault);
  const { kept = 0 } = state.rows(targetTable).get(target) ?? {};
  const version = lastVersion(state, target) + 1;
  const data = defined({ id, version, root, ...sealed, meta, collect_at: collectTimeOf(context, kept) });
  emit({ type: "files.committed", subject: fileSubject(target), data });
  if (release === true) freeSet(context, fence);
  const made = state.rows(versionTable).get(versionKey(target, version));
  if (made === undefined) throw new Error(`unreachable: version ${String(version)} of ${target} was not made`);
  return { outcome: done(versionView(made, version)), events: [], attachment: {} };
}

/** The highest version that the target ever had. After a deletion its numbers continue. */
function lastVersion(state: StateReader, target: string): number {
  const known = state.rows(targetTable).get(target) ?? state.rows(retiredTable).get(target);
  return (known ?? state.rows(forgottenTable).get("forgotten"))?.version ?? 0;
}

function metaRefusal(meta: JsonObject | undefined): Decision | undefined {
  const limit = fileLimits.metaBytesMax;
  const isTooLarge = meta !== undefined && JSON.stringify(meta).length > limit;
  return isTooLarge ? refuse("files.meta_too_large", { limit }) : undefined;
}

/** A publish of the caller. That of another principal is answered like one that does not exist. */
export function ownPublish({ state, command }: DecideContext, id: string): PublishRow | Decision {
  const row = state.rows(publishTable).get(id);
  if (row?.principal !== command.principal) return refuse("files.publish_unknown", { id });
  return row;
}

function evidenceOf(evidence: Json | undefined, { id, session }: PublishRow): CommitEvidence | undefined {
  const found = evidence as unknown as CommitEvidence | undefined;
  return found?.id === id && found.session === session ? found : undefined;
}

/** The disk failed, so the publish ends in this entry, with the refusal. */
function failedCommit(context: DecideContext, row: PublishRow, fault: CommitEvidence["fault"]): Decision {
  const { code = "files.root_degraded", data = {}, degrades = true } = fault ?? {};
  endPublish(context, row, code);
  const { reason } = data;
  if (degrades) degradeRoot(context, row.root, typeof reason === "string" ? reason : code);
  return { outcome: refusal(code, data), events: [] };
}

/** The publish ends without a version. Its folder becomes garbage. */
export function endPublish({ emit }: DecideContext, { id, target }: PublishRow, why: string): void {
  emit({ type: "files.aborted", subject: fileSubject(target), data: { id, why } });
}

export function degradeRoot({ state, emit }: DecideContext, root: string, reason: string): void {
  if (state.rows(rootTable).get(root)?.degraded !== undefined) return;
  emit({ type: "files.root_degraded", subject: `root/${root}`, data: { root, reason } });
}

/** The time at which the version before the superseded one is collected: at once if too many are kept. */
function collectTimeOf({ state, time }: DecideContext, kept: number): number {
  if (kept >= fileLimits.versionsMax) return time;
  return time + fileSettings(state).retention_seconds * 1_000;
}
