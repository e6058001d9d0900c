import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Engine } from "../../../engine/engine.ts";
import { subjectOf } from "../../../features/entities/entity-table.ts";
import { explainConflict } from "../../../features/entities/explain-conflict.ts";
import type { Versions } from "../../../features/entities/version-trail.ts";
import { entityVersions } from "../../reads/entity-versions.ts";
import type { Explain } from "../explain.ts";

/** The changes since the version that the caller expected, with their authors. */
export const explainVersionConflict: Explain = async ({ data }, { services: { engine }, input, position }) => {
  const subject = subjectOf(data["type"] as string, data["id"] as string);
  const expected = data["expected_version"] as number;
  if (expected === 0) {
    return explainExisting(engine, subject, { version: data["current_version"] as number, before: position }, input);
  }
  const found = await entityVersions(engine, subject, { from: expected, to: Infinity, before: position });
  return found.kind === "found" ? explainConflict(found.versions, input) : unexplained(found, expected);
};

/** The caller expected no entity, so everything is new to it. */
async function explainExisting(
  engine: Engine,
  subject: string,
  { version, before }: ConflictPoint,
  input: JsonObject,
): Promise<JsonObject> {
  const found = await entityVersions(engine, subject, { from: version, to: version, before });
  if (found.kind !== "found") return unexplained(found, version);
  const [current] = found.versions;
  return explainConflict([{ ...current, version: 0, value: undefined }, current], input);
}

/** The version at the decision, and the position of the conflict. */
interface ConflictPoint {
  readonly version: number;
  readonly before: number;
}

function unexplained(found: Exclude<Versions, { kind: "found" }>, version: number): JsonObject {
  const reason =
    found.kind === "erased"
      ? `entry ${String(found.by)} erased data of that time`
      : `the history has no version ${String(version)}`;
  return { changes: null, changes_reason: reason };
}
