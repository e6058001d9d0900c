/**
 * Removes what is below a deleted project, map or sketch: 200 records or targets in an entry, by a timer. The targets of
 * published files become garbage, which their node removes from the disk.
 */
import {
  workspaceApproval,
  workspaceMap,
  workspaceObject,
  workspaceProject,
  workspaceSketch,
} from "@holdfast/sdk/contract";
import type { workspaceInternals, WorkspacePlace } from "@holdfast/sdk/contract";
import { entityTable } from "../../features/entities/entity-table.ts";
import type { Kind } from "../../features/entities/kind.ts";
import { writeByKind } from "../../features/entities/write-by-kind.ts";
import { dueTimer } from "../../features/due-timer.ts";
import type { Decide } from "../../features/rule-of.ts";
import type { DecideContext, Timer } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import type { StateReader } from "../../machine/state.ts";
import { endPublish } from "../files/commit-publish.ts";
import { fileSubject, pinnedUntil } from "../files/file-tables.ts";
import { versionsOf } from "../files/find-version.ts";
import { approvalKind, mapKind, objectKind, sketchKind } from "./workspace-kinds.ts";
import { purgeTable } from "./workspace-tables.ts";
import { recordId } from "./record-place.ts";
import { publishesBelow, targetsBelow } from "./targets-below.ts";

/** Maximum records and targets that one entry removes. */
const removedMax = 200;

const kinds: readonly Kind[] = [objectKind, sketchKind, mapKind, approvalKind];
const types = [workspaceProject, workspaceMap, workspaceSketch, workspaceObject].map(({ type }) => type);

export function startPurge({ emit }: DecideContext, place: WorkspacePlace): void {
  const id = recordId(place);
  const type = types[id.split("/").length - 1] ?? workspaceApproval.type;
  emit({ type: "workspace.purge_started", subject: `${type}/${id}`, data: { place: id } });
}

/** Children come before their parents, so counts are right after every entry. */
export const purge: Decide<(typeof workspaceInternals)["workspace.purge"]> = ({ place }, context) => {
  const { state, time, emit } = context;
  const row = state.rows(purgeTable).get(place);
  if (row === undefined || row.at > time) return { outcome: refusal("not_due"), events: [] };
  const records = removeRecords(context, place, removedMax);
  // A publish that was opened before the deletion must not commit into a deleted record.
  const running = publishesBelow(state, place, removedMax - records);
  for (const publish of running) endPublish(context, publish, "deleted");
  const removed = records + running.length;
  const targets = targetsBelow(state, place, removedMax - removed);
  const free = targets.filter((target) => keptUntil(state, target) <= time);
  for (const target of free) emit({ type: "files.deleted", subject: fileSubject(target), data: {} });
  const subject = `${types[place.split("/").length - 1] ?? ""}/${place}`;
  const isFull = removed + free.length >= removedMax;
  const kept = targets.filter((target) => !free.includes(target)).map((target) => keptUntil(state, target));
  if (!isFull && kept.length === 0) emit({ type: "workspace.purged", subject, data: { place } });
  // A version that a reader has pinned stays until the pin expires.
  else emit({ type: "workspace.purge_continued", subject, data: { place, at: isFull ? time : Math.min(...kept) } });
  return { outcome: done({ removed: removed + free.length }), events: [] };
};

/** Removes records below a place, the deepest first. Returns their number. */
export function removeRecords(
  context: DecideContext,
  place: string,
  limit: number,
  only: readonly string[] = kinds.map(({ type }) => type),
): number {
  let removed = 0;
  for (const kind of kinds.filter(({ type }) => only.includes(type))) {
    const rows = context.state
      .rows(entityTable)
      .scan("subject", { prefix: `${kind.type}/${place}/`, limit: limit - removed });
    for (const { id } of rows) writeByKind(kind, { target: { id }, change: { delete: true } }, context);
    removed += rows.length;
    if (removed >= limit) break;
  }
  return removed;
}

function keptUntil(state: StateReader, target: string): number {
  return Math.max(0, ...versionsOf(state, target).map(pinnedUntil));
}

/** The id contains the entry that left the rest, which distinguishes the parts of one removal. */
export const purgeTimer: Timer = dueTimer(purgeTable, "at", {
  runsInGrace: true,
  dueAt: ({ at }) => at,
  command: ({ place, position }) => ({
    id: `workspace.purge ${place} ${String(position)}`,
    operation: "workspace.purge",
    input: { place, after: position },
  }),
});
