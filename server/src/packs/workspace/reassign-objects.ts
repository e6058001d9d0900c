/** Moves objects from one sketch to another: each gets a new id, and both sketches record it. */
import { objectThresholds, workspaceObject, workspaceSketch } from "@holdfast/sdk/contract";
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { missing } from "../../features/entities/change.ts";
import { invalid } from "../../features/entities/conditions.ts";
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import { writeAllByKind } from "../../features/entities/write-by-kind.ts";
import type { KindWrite } from "../../features/entities/write-by-kind.ts";
import type { PathLock } from "../../features/locks/tables/modes.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { decideUnder } from "./access.ts";
import type { LockProof } from "./access.ts";
import { findRule, locksOfRule } from "./find-rule.ts";
import { objectKind } from "./workspace-kinds.ts";
import { recordId } from "./record-place.ts";

interface SketchPlace {
  readonly map: string;
  readonly sketch: string;
}

interface ReassignInput extends LockProof {
  readonly project: string;
  readonly from: SketchPlace;
  readonly to: SketchPlace;
  readonly objects: readonly string[];
}

const operation = "workspace.reassign-objects";

export function reassignObjects(input: ReassignInput, context: DecideContext): Decision {
  const { project, from, to, fence, lock } = input;
  if (from.map === to.map && from.sketch === to.sketch)
    return invalid([{ pointer: "/to", message: "is the sketch from which the objects come" }]);
  const rule = findRule(operation, { of: "sketch", count: 0 });
  const proof = defined({ fence, lock });
  const others = [{ project, ...to }];
  const access = { rule, place: { project, ...from }, others, locks: neededLocks(input), proof };
  return decideUnder(context, access, () => moveObjects(context, input));
}

/** Up to 1,000 objects need the locks of both sketches, and more those of the maps concerned. */
function neededLocks({ project, from, to, objects }: ReassignInput): readonly PathLock[] {
  const count = objects.length;
  const isOfMap = count > objectThresholds.map;
  const rule = findRule(operation, { of: isOfMap ? "map" : "sketch", count });
  const locks = [from, to].flatMap((place) => locksOfRule(rule, { project, ...place }));
  return locks.filter(({ path }, index) => locks.findIndex((each) => each.path === path) === index);
}

function moveObjects(context: DecideContext, { project, from, to, objects }: ReassignInput): Decision {
  const writes: (readonly [typeof objectKind, KindWrite])[] = [];
  for (const object of objects) {
    const id = recordId({ project, ...from, object });
    const row = findEntity(context.state, { type: workspaceObject.type, id });
    if (!isLive(row)) return missing(row, { type: workspaceObject.type, id });
    const target = { id: recordId({ project, ...to, object }) };
    writes.push([objectKind, { target: { id }, change: { delete: true } }]);
    writes.push([objectKind, { target, name: "moved", change: { create: row.value } }]);
  }
  const written = writeAllByKind(writes, context);
  if ("outcome" in written) return written;
  const ids = [from, to].map((place) => recordId({ project, ...place }));
  const data: JsonObject = { from: ids[0] ?? "", to: ids[1] ?? "", objects };
  for (const id of ids)
    context.emit({ type: "workspace.objects_moved", subject: `${workspaceSketch.type}/${id}`, data });
  return {
    outcome: done({ project, from: { ...from }, to: { ...to }, moved: objects.length }),
    events: [],
    attachment: {},
  };
}
