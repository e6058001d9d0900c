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

/** Maximum intermediate versions that are compared one by one. Older ones are compared together. */
const versionsMax = 100;

/**
 * Explains a version conflict. For each pointer that changed since the caller's version it gives the old value, the
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
        pointers.some((pointer) => pointersOverlap(pointer, placeOf(change))),
      );
      return {
        ...changeFacts(change),
        overlaps_yours: sent.some((pointer) => pointersOverlap(pointer, placeOf(change))),
        ...yours(input, change.pointer),
        ...(step === undefined ? {} : authorship(step.version)),
      };
    }),
    truncated,
  };
}

/**
 * The pointer to which a change is attributed. The indices of a resized array have shifted, so it counts as a whole.
 */
function placeOf(change: PointerChange): string {
  return change.resized ?? change.pointer;
}

function changeFacts(change: PointerChange): JsonObject {
  const { pointer, before, after, cut } = change;
  return {
    pointer,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(cut === undefined ? {} : { cut }),
  };
}

function authorship({ version, entry }: Version): JsonObject {
  return { version, changed_by: authorOf(entry), changed_at: entry.time, position: entry.position };
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
    pointers: difference(compared[index]?.value, version.value).changes.map(placeOf),
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
  if (input["value"] !== undefined) return difference(base, input["value"]).changes.map(placeOf);
  return [""];
}

function leafPointers(merge: JsonObject, way: readonly string[]): readonly string[] {
  return Object.entries(merge).flatMap(([name, request]) =>
    isObject(request) ? leafPointers(request, [...way, name]) : [formatPointer([...way, name])],
  );
}

/** The value that the caller sent for this pointer, if it is known. */
function yours(input: JsonObject, pointer: string): JsonObject {
  const segments = parsePointer(pointer) ?? [];
  const steps = input["patch"];
  if (Array.isArray(steps)) {
    const step = (steps as readonly JsonObject[]).find(({ path, value }) => path === pointer && value !== undefined);
    return step?.["value"] === undefined ? {} : { yours: step["value"] };
  }
  const sent = input["merge"] ?? input["value"];
  const found = sent === undefined ? undefined : valueAt(sent, segments);
  return found === undefined ? {} : { yours: found };
}
