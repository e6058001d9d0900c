import type { entityOperations } from "@holdfast/sdk/contract";
import { done } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { currentEpoch } from "../space/space-table.ts";
import { missing } from "./change.ts";
import { unmetCondition } from "./conditions.ts";
import { findEntity, isLive, revisionOf, subjectOf } from "./entity-table.ts";
import { kindViolation } from "./kind.ts";
import type { KindOf } from "./kind.ts";

export function deleteEntity(kindOf: KindOf): Decide<(typeof entityOperations)["delete-entity"]> {
  return (input, context) => {
    const row = findEntity(context.state, input);
    const unmet = unmetCondition(row, input, context, kindOf(input.type));
    if (unmet !== undefined) return unmet;
    if (!isLive(row)) return missing(row, input);
    const violation = kindViolation(
      kindOf(input.type),
      { value: undefined, previous: row.value, target: input },
      context,
    );
    if (violation !== undefined) return violation;
    const version = row.version + 1;
    return {
      outcome: done({
        type: input.type,
        id: input.id,
        version,
        revision: revisionOf({ epoch: currentEpoch(context.state), version }),
        changed: true,
        previous_revision: revisionOf(row),
      }),
      events: [{ type: "entity.deleted", subject: subjectOf(input.type, input.id), data: { version } }],
      attachment: { position: context.position },
    };
  };
}
