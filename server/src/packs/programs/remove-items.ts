import { writeByKind } from "../../features/entities/write-by-kind.ts";
import type { DecideContext, Decision, Timer } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { currentVersion, findEntity } from "../../features/entities/entity-table.ts";
import { itemTable, removalTable } from "./item-tables.ts";
import { programKind } from "./program-kind.ts";
import { itemPath, programType } from "./program-value.ts";

/** Maximum items that one entry removes. */
const itemsMax = 500;

/** Removes items of a deleted program. */
export function removeItems(input: { readonly program_id: string }, context: DecideContext): Decision {
  const { program_id: programId } = input;
  if (context.state.rows(removalTable).get(programId) === undefined) return { outcome: refusal("not_due"), events: [] };
  const rows = context.state.rows(itemTable).scan("subject", { prefix: itemPath(programId, ""), limit: itemsMax });
  for (const { subject } of rows) {
    const id = subject.slice(programType.length + 1);
    const expected_version = currentVersion(findEntity(context.state, { type: programType, id }));
    writeByKind(programKind, { target: { id, expected_version }, change: { delete: true } }, context);
  }
  return { outcome: done({ removed: rows.length }), events: [] };
}

/** The id contains the entry that left the rest, which distinguishes the parts of one removal. */
export const removalTimer: Timer = {
  runsInGrace: true,
  nextTime: (state) => (state.rows(removalTable).scan("program", { limit: 1 }).length > 0 ? 0 : undefined),
  due: (state, _time, limit) =>
    state
      .rows(removalTable)
      .scan("program", { limit })
      .map(({ programId, position }) => ({
        id: `remove-program:${programId}:${String(position)}`,
        operation: "programs.remove-items",
        input: { program_id: programId },
      })),
};
