/** Creates, changes, calibrates and deletes maps and sketches. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Kind } from "../../features/entities/kind.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { refusal } from "../../machine/refusal.ts";
import { refusedBy } from "./access.ts";
import { calibrationOf } from "./geometry/calibration-of.ts";
import { startPurge } from "./purge.ts";
import { mapKind, sketchKind } from "./workspace-kinds.ts";
import type { CalibrationPoint } from "./record-place.ts";
import { accessOf, newValue, writeRecord, writtenReply } from "./write-record.ts";
import type { RecordInput } from "./write-record.ts";

interface PlacedKind {
  readonly kind: Kind;
  readonly name: "map" | "sketch";
}

const maps: PlacedKind = { kind: mapKind, name: "map" };
const sketches: PlacedKind = { kind: sketchKind, name: "sketch" };

interface CreateInput extends RecordInput {
  readonly name: string;
  readonly description?: string;
  readonly layer?: string;
}

const create =
  ({ kind, name: what }: PlacedKind) =>
  (input: CreateInput, context: DecideContext): Decision => {
    const { name, description, layer } = input;
    const access = accessOf(`workspace.create-${what}`, input);
    const change = { create: newValue({ name, description, layer }) };
    return writeRecord(context, access, { kind, place: placeOf(input), input, change });
  };

const update =
  ({ kind, name: what }: PlacedKind) =>
  (input: RecordInput & { readonly changes: JsonObject }, context: DecideContext): Decision => {
    const access = accessOf(`workspace.update-${what}`, input);
    return writeRecord(context, access, { kind, place: placeOf(input), input, change: { merge: input.changes } });
  };

/** The record goes in this entry, and the rest below it in the next ones. */
const remove =
  ({ kind, name: what }: PlacedKind) =>
  (input: RecordInput, context: DecideContext): Decision => {
    const place = placeOf(input);
    return writeRecord(context, accessOf(`workspace.delete-${what}`, input), {
      ...{ kind, place, input, change: { delete: true } },
      then: () => {
        startPurge(context, place);
        return undefined;
      },
    });
  };

function placeOf({ project, map, sketch }: RecordInput): RecordInput {
  return { project, map, ...defined({ sketch }) };
}

export const changeMaps = {
  createMap: create(maps),
  updateMap: update(maps),
  deleteMap: remove(maps),
  createSketch: create(sketches),
  updateSketch: update(sketches),
  deleteSketch: remove(sketches),
};

interface CalibrateInput extends RecordInput {
  readonly points: readonly CalibrationPoint[];
  readonly unit: string;
}

export function calibrateMap(input: CalibrateInput, context: DecideContext): Decision {
  const { points, unit } = input;
  const place = placeOf(input);
  let made: JsonObject = {};
  const change = () => {
    const solved = calibrationOf(points);
    if (typeof solved === "string")
      return refusedBy(context, refusal("workspace.geometry_invalid", { reason: solved }));
    const calibration = { unit, points: points.map((point) => ({ ...point })), ...solved };
    made = { calibration: calibration };
    return { merge: made };
  };
  return writeRecord(context, accessOf("workspace.calibrate-map", input), {
    ...{ kind: mapKind, place, input, change, name: "calibrated" },
    then: (written) => writtenReply(place, written, made),
  });
}
