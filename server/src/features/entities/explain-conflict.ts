import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { isObject } from "@holdfast/sdk/json/json";
import { authorOf } from "./entity-table.ts";
import { difference } from "./json/difference.ts";
import type { PointerChange } from "./json/difference.ts";
import { formatPointer } from "@holdfast/sdk/json/format-pointer";
import { parsePointer } from "@holdfast/sdk/json/parse-pointer";
import { valueAt } from "@holdfast/sdk/json/value-at";
import { pointersOverlap } from "./json/pointers-overlap.ts";
import type { Version } from "./version-trail.ts";
import { iso } from "../locks/tables/lock-events.ts";

/** Maximum intermediate versions that are compared one by one. Older ones are compared together. */
const versionsMax = 100;

/**
 * Explains a version conflict. It lists each pointer that changed since the caller's version. It gives the old and the
 * current value, the last author and time, and whether the caller's write changes it too. `versions` starts with the
 * caller's version and ends with the current one.
 */
export function explainConflict(versions: readonly Version[], input: JsonObject): JsonObject {
  const base = versions[0]?.value;
  const current = versions.at(-1);
  const { changes, truncated } = difference(base, current?.value);
  const steps = stepsBetween(versions);
  const sent = sentPointers(base, input);
  return {
    changes: changes.map((change) => {
      const step = steps.findLast(({ pointers }) =>
        pointers.some((pointer) => pointersOverlap(pointer, attributedPointer(change))),
      );
      const { pointer, before, after, cut } = change;
      return defined({
        ...{ pointer, before, after, cut },
        overlaps_yours: sent.some((sentPointer) => pointersOverlap(sentPointer, attributedPointer(change))),
        yours: sentValue(input, pointer),
        ...authorship(step?.version),
      });
    }),
    truncated,
  };
}

/**
 * The pointer to which a change is attributed. The indices of a resized array have shifted, so it counts as a whole.
 */
function attributedPointer(change: PointerChange): string {
  return change.resized ?? change.pointer;
}

function authorship(author: Version | undefined) {
  const entry = author?.entry;
  return {
    version: author?.version,
    changed_by: entry === undefined ? undefined : authorOf(entry),
    changed_at: entry === undefined ? undefined : iso(entry.time),
    position: entry?.position,
  };
}

interface Step {
  readonly version: Version;
  readonly pointers: readonly string[];
}

/** The changes of each version against the previous one. */
function stepsBetween(versions: readonly Version[]): readonly Step[] {
  const compared =
    versions.length > versionsMax ? [...versions.slice(0, 1), ...versions.slice(-versionsMax)] : versions;
  return compared.slice(1).map((version, index) => ({
    version,
    pointers: difference(compared[index]?.value, version.value).changes.map(attributedPointer),
  }));
}

/** The pointers that the caller's write changes. */
function sentPointers(base: Json | undefined, input: JsonObject): readonly string[] {
  if (isObject(input["merge"])) return leafPointers(input["merge"], []);
  const steps = input["patch"];
  if (Array.isArray(steps)) {
    return (steps as readonly JsonObject[]).flatMap((step) =>
      [step["path"], step["op"] === "move" ? step["from"] : undefined].filter((path) => typeof path === "string"),
    );
  }
  if (input["value"] !== undefined) return difference(base, input["value"]).changes.map(attributedPointer);
  return [""];
}

function leafPointers(merge: JsonObject, parents: readonly string[]): readonly string[] {
  return Object.entries(merge).flatMap(([name, value]) =>
    isObject(value) ? leafPointers(value, [...parents, name]) : [formatPointer([...parents, name])],
  );
}

/** The value that the caller sent for this pointer, if it is known. */
function sentValue(input: JsonObject, pointer: string): Json | undefined {
  const segments = parsePointer(pointer) ?? [];
  const steps = input["patch"];
  if (Array.isArray(steps)) {
    const step = (steps as readonly JsonObject[]).find(({ path, value }) => path === pointer && value !== undefined);
    return step?.["value"];
  }
  const sent = input["merge"] ?? input["value"];
  return sent === undefined ? undefined : valueAt(sent, segments);
}
