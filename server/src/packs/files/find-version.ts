/** The commands that keep, end or delete publishes and versions, and the commands of timers and nodes. */
import type { filesInternals } from "@holdfast/sdk/contract";
import { iso } from "../../features/locks/tables/lock-events.ts";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import { refused as refuse } from "../../features/locks/rules/owner.ts";
import { dueTimer } from "../../features/due-timer.ts";
import type { Decide } from "../../features/rule-of.ts";
import type { DecideContext, Decision, Timer } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import type { StateReader } from "../../machine/state.ts";
import { degradeRoot, endPublish, ownPublish } from "./commit-publish.ts";
import {
  collectTime,
  fileLimits,
  fileSubject,
  garbageTable,
  pinnedUntil,
  publishTable,
  rootTable,
  targetTable,
  versionKey,
  versionTable,
} from "./file-tables.ts";
import type { VersionRow } from "./file-tables.ts";
import { versionView } from "./version-view.ts";
import { fenceRefusal } from "./open-publish.ts";
import { decideTarget } from "./target-rule.ts";
import type { TargetRules } from "./target-rule.ts";

type Internals = typeof filesInternals;
const notDue = { outcome: refusal("not_due"), events: [] };
const finished = { outcome: done({}), events: [] };

export function abortPublish({ id }: { readonly id: string }, context: DecideContext): Decision {
  const row = ownPublish(context, id);
  if ("outcome" in row) return row;
  endPublish(context, row, "aborted");
  return { outcome: done({ id }), events: [], attachment: {} };
}

interface PinInput {
  readonly target: string;
  readonly version?: number;
  readonly ttl_seconds: number;
  readonly fence?: string;
}

/** The reader of a pin: the agent, or the principal of a caller without one. A later end of its pin stays. */
export function pinVersion(rules: TargetRules, input: PinInput, context: DecideContext): Decision {
  const { target, version, ttl_seconds: seconds, fence } = input;
  const { state, time, emit } = context;
  const refused = decideTarget(rules, context, { use: "read", target, fence });
  if (refused !== undefined) return refused;
  const row = findVersion(state, target, version);
  if (row === undefined) return unknownVersion(target, version);
  const until = time + seconds * 1_000;
  const owner = pinOwner(context);
  const live = (row.pins ?? []).filter((pin) => pin.until > time);
  const known = live.find((pin) => pin.owner === owner);
  const limit = fileLimits.pinsMax;
  if (known === undefined && live.length >= limit)
    return refuse("files.pins_full", { target, version: row.version, limit, retry_after_ms: 1_000 });
  if (until > (known?.until ?? 0))
    emit({ type: "files.pinned", subject: fileSubject(target), data: { version: row.version, owner, until } });
  const pinned = findVersion(state, target, row.version) ?? row;
  const current = state.rows(targetTable).get(target)?.version ?? 0;
  return { outcome: done(versionView(pinned, current)), events: [], attachment: {} };
}

const pinOwner = ({ command }: DecideContext): string => command.agent ?? command.principal;

/** Ends the pin of the caller. Those of other readers stay. A version without its pin is left as it is. */
export function unpinVersion(
  { target, version }: { readonly target: string; readonly version: number },
  context: DecideContext,
): Decision {
  const { state, emit } = context;
  const row = findVersion(state, target, version);
  if (row === undefined) return unknownVersion(target, version);
  const owner = pinOwner(context);
  const isPinned = row.pins?.some((pin) => pin.owner === owner) === true;
  if (isPinned) emit({ type: "files.unpinned", subject: fileSubject(target), data: { version, owner } });
  return { outcome: done({ target, version }), events: [], attachment: {} };
}

/** A kept version: that of the number, or the current one. */
export function findVersion(state: StateReader, target: string, version: number | undefined): VersionRow | undefined {
  const number = version ?? state.rows(targetTable).get(target)?.version;
  return number === undefined ? undefined : state.rows(versionTable).get(versionKey(target, number));
}

export function unknownVersion(target: string, version: number | undefined): Decision {
  return refuse("files.version_unknown", version === undefined ? { target } : { target, version });
}

export function versionsOf(state: StateReader, target: string): readonly VersionRow[] {
  return state.rows(versionTable).scan("target", { prefix: `${target}${gap}`, limit: Infinity });
}

export function deleteTarget(
  rules: TargetRules,
  { target, fence }: { readonly target: string; readonly fence: string },
  context: DecideContext,
): Decision {
  const { state, time, emit } = context;
  const refusedUse =
    fenceRefusal(context, target, { fence, scope: "tree" }) ??
    decideTarget(rules, context, { use: "delete", target, fence });
  if (refusedUse !== undefined) return refusedUse;
  const versions = versionsOf(state, target);
  if (versions.length === 0) return unknownVersion(target, undefined);
  const pinned = versions.find((row) => pinnedUntil(row) > time);
  if (pinned !== undefined)
    return refuse("files.version_pinned", { target, version: pinned.version, until: iso(pinnedUntil(pinned)) });
  emit({ type: "files.deleted", subject: fileSubject(target), data: {} });
  return { outcome: done({ target, versions: versions.length }), events: [], attachment: {} };
}

/** One node at a time has a root. Its new session proves that the old one is over. */
export const announceRoot: Decide<Internals["files.announce"]> = (input, context) => {
  const { root, root_id: rootId } = input;
  const { state, emit } = context;
  const known = state.rows(rootTable).get(root);
  if (known?.rootId !== undefined && known.rootId !== rootId) return refuse("files.root_mismatch", { root });
  const limit = fileLimits.publishesMax;
  for (const row of state.rows(publishTable).scan("root", { prefix: `${root}${gap}`, limit }))
    endPublish(context, row, "restarted");
  emit({ type: "files.root_announced", subject: `root/${root}`, data: { ...input } });
  return finished;
};

export const failPublish: Decide<Internals["files.fail"]> = ({ id, code, reason, degrades }, context) => {
  const row = context.state.rows(publishTable).get(id);
  if (row === undefined) return notDue;
  endPublish(context, row, code);
  if (degrades) degradeRoot(context, row.root, reason);
  return finished;
};

export const expirePublish: Decide<Internals["files.expire"]> = ({ id }, context) => {
  const row = context.state.rows(publishTable).get(id);
  if (row === undefined || context.grace || row.until > context.time) return notDue;
  endPublish(context, row, "expired");
  return finished;
};

export const collectVersion: Decide<Internals["files.collect"]> = ({ target, version }, { state, time, emit }) => {
  const row = state.rows(versionTable).get(versionKey(target, version));
  const at = row === undefined ? undefined : collectTime(row);
  if (at === undefined || at > time) return notDue;
  emit({ type: "files.collected", subject: fileSubject(target), data: { version } });
  return finished;
};

export const noteRemoved: Decide<Internals["files.removed"]> = ({ ids }, { state, emit }) => {
  const gone = ids.filter((id) => state.rows(garbageTable).get(id) !== undefined);
  if (gone.length === 0) return notDue;
  emit({ type: "files.removed", subject: "files", data: { ids: gone } });
  return finished;
};

export const fileTimers: readonly Timer[] = [
  dueTimer(publishTable, "until", {
    dueAt: (row) => row.until,
    command: ({ id }) => ({ id: `files.expire ${id}`, operation: "files.expire", input: { id } }),
  }),
  dueTimer(versionTable, "collect", {
    dueAt: collectTime,
    command: (row) => {
      const { target, version } = row;
      const at = collectTime(row) ?? 0;
      const id = `files.collect ${row.id} ${String(at)}`;
      return { id, operation: "files.collect", input: { target, version, at } };
    },
  }),
];
