import type { entityOperations } from "@holdfast/sdk/contract";
import type { Json } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { changed } from "./change.ts";
import type { RecordingOptions } from "./change.ts";
import { unmetCondition } from "./conditions.ts";
import { findEntity, isLive, revisionOf } from "./entity-table.ts";
import { kindViolation } from "./kind.ts";
import type { KindOf } from "./kind.ts";

export function createEntity(
  kindOf: KindOf,
  { name, isMade }: RecordingOptions = {},
): Decide<(typeof entityOperations)["create-entity"]> {
  return (input, context) => {
    const row = findEntity(context.state, input);
    const unmet = unmetCondition(row, input, context, kindOf(input.type));
    if (unmet !== undefined) return unmet;
    if (isLive(row)) {
      const current = { type: row.type, id: row.id, current_version: row.version, current_revision: revisionOf(row) };
      return { outcome: refusal("entity_exists", current), events: [] };
    }
    const value = input.value as Json;
    const violation = kindViolation(kindOf(input.type), { value, previous: undefined, target: input, isMade }, context);
    if (violation !== undefined) return violation;
    const data = name === undefined ? { value } : { value, name };
    return changed({ target: input, row, value, event: { type: "entity.created", data } }, context);
  };
}
