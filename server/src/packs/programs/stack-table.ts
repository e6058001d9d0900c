/** The records of each agent: its mutations, for undo and redo, and its hash conflicts. */
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import { gap } from "./item-tables.ts";

/** An item before and after a mutation. Null: it did not exist. */
export interface StackedItem {
  readonly item: string;
  readonly before: string | null;
  readonly after: string | null;
}

type Side = "undo" | "redo";

/** A mutation that its agent can undo, or an undo that it can redo. */
export interface StackRow {
  readonly agent: string;
  readonly programId: string;
  readonly side: Side;
  readonly position: number;
  readonly items: readonly StackedItem[];
}

const padded = (number: number): string => String(number).padStart(16, "0");

const sidePrefix = (agent: string, programId: string, side: Side): string =>
  `${agent}${gap}${programId}${gap}${side}${gap}`;

export const stackTable: TableSpec<StackRow, "top" | "position"> = {
  name: "program-stacks",
  boundedBy: "quota",
  key: (row) => `${sidePrefix(row.agent, row.programId, row.side)}${row.position}`,
  sorts: {
    top: (row) => `${sidePrefix(row.agent, row.programId, row.side)}${padded(row.position)}`,
    position: (row) => `${row.programId}${gap}${padded(row.position)}`,
  },
  bytes: (row) => 400 + 220 * row.items.length,
};

/** The mutations of a side, the newest first. */
export function stackOf(
  state: StateReader,
  of: { readonly agent: string; readonly programId: string; readonly side: Side },
): readonly StackRow[] {
  const prefix = sidePrefix(of.agent, of.programId, of.side);
  return state.rows(stackTable).scan("top", { prefix, limit: 1_000, descending: true });
}

/** Whether a stack needs the event at this position. */
export function isStacked(state: StateReader, programId: string, position: number): boolean {
  const prefix = `${programId}${gap}${padded(position)}`;
  return state.rows(stackTable).scan("position", { prefix, limit: 1 }).length > 0;
}

/** Hash conflicts in a row of an agent, by the set of items that its mutations touch. */
interface TriesRow {
  readonly agent: string;
  readonly programId: string;
  readonly set: string;
  readonly count: number;
  readonly time: number;
}

export const triesKey = ({ agent, programId, set }: Pick<TriesRow, "agent" | "programId" | "set">): string =>
  `${agent}${gap}${programId}${gap}${set}`;

export const triesTable: TableSpec<TriesRow, "agent" | "time"> = {
  name: "program-tries",
  boundedBy: "quota",
  key: triesKey,
  sorts: { agent: triesKey, time: (row) => `${padded(row.time)}${gap}${triesKey(row)}` },
  bytes: (row) => 300 + 4 * row.set.length,
};

/** Time after the last conflict until the count starts again. */
export const triesMs = 600_000;
