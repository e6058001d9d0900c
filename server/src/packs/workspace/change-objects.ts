/** Puts, merges and deletes objects. The number of objects decides which lock is needed, and nothing is guessed. */
import { objectThresholds } from "@holdfast/sdk/contract";
import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { invalid } from "../../features/entities/conditions.ts";
import { writeAllByKind } from "../../features/entities/write-by-kind.ts";
import type { KindWrite } from "../../features/entities/write-by-kind.ts";
import type { PathLock } from "../../features/locks/tables/modes.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { decideUnder, refusedBy } from "./access.ts";
import type { LockProof } from "./access.ts";
import { findRule, locksOfRule } from "./find-rule.ts";
import { objectKind } from "./workspace-kinds.ts";
import { recordId } from "./record-place.ts";

interface ObjectChange {
  readonly op: "put" | "merge" | "delete";
  readonly sketch?: string;
  readonly object: string;
  readonly value?: JsonObject;
  readonly expected_version?: number;
}

interface ChangeObjectsInput extends LockProof {
  readonly project: string;
  readonly map: string;
  readonly sketch?: string;
  readonly level?: "sketch" | "map";
  readonly changes: readonly ObjectChange[];
}

const operation = "workspace.change-objects";

type PlacedChange = ObjectChange & { readonly sketch: string };

export function changeObjects(input: ChangeObjectsInput, context: DecideContext): Decision {
  const { project, map, fence, lock } = input;
  const changes = placedChanges(input);
  if ("outcome" in changes) return changes;
  const locks = neededLocks(input, changes);
  const place = { project, map };
  const rule = findRule(operation, { of: "sketch", count: 0 });
  const others = [...countsOf(changes).keys()].map((sketch) => ({ ...place, sketch }));
  const access = { rule, place, others, proof: defined({ fence, lock }) };
  if (locks === undefined) {
    // The role comes first: a caller without one learns nothing about sketches.
    return decideUnder(context, { ...access, locks: [] }, () => ambiguous(context, map, changes));
  }
  return decideUnder(context, { ...access, locks }, () => writeChanges(context, place, changes));
}

/** Each change with its sketch, or the refusal of one that names none. */
function placedChanges({ sketch, changes }: ChangeObjectsInput): readonly PlacedChange[] | Decision {
  const placed: PlacedChange[] = [];
  for (const [index, change] of changes.entries()) {
    const own = change.sketch ?? sketch;
    if (own === undefined)
      return invalid([
        { pointer: `/changes/${String(index)}`, message: "names no sketch, and the request names none" },
      ]);
    placed.push({ ...change, sketch: own });
  }
  return placed;
}

/** The number of distinct objects of each sketch. */
function countsOf(changes: readonly PlacedChange[]): ReadonlyMap<string, number> {
  const distinct = new Set(changes.map(({ sketch, object }) => `${sketch}/${object}`));
  const counts = new Map<string, number>();
  for (const id of distinct) {
    const sketch = id.slice(0, id.indexOf("/"));
    counts.set(sketch, (counts.get(sketch) ?? 0) + 1);
  }
  return counts;
}

/** The locks of the rows that hold for the counts; undefined if the caller must choose between sketches and map. */
function neededLocks(
  { project, map, level }: ChangeObjectsInput,
  changes: readonly PlacedChange[],
): readonly PathLock[] | undefined {
  const counts = countsOf(changes);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const place = { project, map };
  const ofMap = findRule(operation, { of: "map", count: Math.max(total, objectThresholds.map + 1) });
  if (total > objectThresholds.map || level === "map") return locksOfRule(ofMap, place);
  if (counts.size > 1 && level === undefined) return undefined;
  return [...counts].flatMap(([sketch, count]) =>
    locksOfRule(findRule(operation, { of: "sketch", count }), { ...place, sketch }),
  );
}

function ambiguous(context: DecideContext, map: string, changes: readonly PlacedChange[]): Decision {
  const counts = [...countsOf(changes)].map(([sketch, objects]): JsonObject => ({ sketch, objects }));
  const total = counts.reduce((sum, { objects }) => sum + (objects as number), 0);
  const question =
    `These ${String(total)} objects lie in ${String(counts.length)} sketches of the map ${map}. ` +
    "Lock each sketch, or the map? Send level: sketch or map.";
  const choices = [{ level: "sketch" }, { level: "map" }];
  return refusedBy(context, refusal("workspace.scope_ambiguous", { question, choices, sketches: counts }));
}

function writeChanges(
  context: DecideContext,
  place: { readonly project: string; readonly map: string },
  changes: readonly PlacedChange[],
): Decision {
  const writes = changes.map((change): readonly [typeof objectKind, KindWrite] => {
    const { sketch, object, expected_version } = change;
    const id = recordId({ ...place, sketch, object });
    return [objectKind, { target: defined({ id, expected_version }), change: kindChange(change) }];
  });
  const written = writeAllByKind(writes, context);
  if ("outcome" in written) return written;
  const objects = written.map(({ data }, index): JsonObject => {
    const { sketch = "", object = "" } = changes[index] ?? {};
    const { version, revision, changed } = data as Readonly<Record<string, Json>>;
    return defined({ sketch, object, version, revision, changed });
  });
  return { outcome: done({ ...place, objects }), events: [], attachment: {} };
}

function kindChange({ op, value = {} }: ObjectChange): KindWrite["change"] {
  switch (op) {
    case "put":
      return { value };
    case "merge":
      return { merge: value };
    case "delete":
      return { delete: true };
  }
}
