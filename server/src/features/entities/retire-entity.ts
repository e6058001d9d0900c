/**
 * A retired entity leaves the state, so that memory stays bounded. Reads find it in the journal. Its id is never used
 * again: its next version would repeat an earlier one.
 */
import type { StateReader, StateWriter } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import type { Event } from "../../machine/entry.ts";
import { entityTable } from "./entity-table.ts";
import type { LiveEntityRow } from "./entity-table.ts";

/** The last entry that retired an entity. Evidence about retired entities must include it. */
interface RetirementRow {
  readonly key: "last";
  readonly position: number;
}

export const retirementTable: TableSpec<RetirementRow, never> = {
  name: "entity-retirements",
  boundedBy: "one",
  key: (row) => row.key,
  sorts: {},
};

/** The position of the last retirement; undefined if no entity was retired. */
export function lastRetirement(state: StateReader): number | undefined {
  return state.rows(retirementTable).get("last")?.position;
}

export function retireEntity({ subject, version }: LiveEntityRow): Event {
  return { type: "entity.retired", subject, data: { version } };
}

export function foldRetired(state: StateWriter, { subject }: Event, { position }: { readonly position: number }): void {
  state.rows(entityTable).delete(subject);
  state.rows(retirementTable).put({ key: "last", position });
}
