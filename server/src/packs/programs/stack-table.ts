/** The records of each agent: its mutations, for undo and redo, and its hash conflicts. */
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import { gap } from "./item-tables.ts";

/** An item before and after a mutation. Null: it did not exist. */
export interface StackedItem {
  readonly item: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Position of the whole value on which the item before the mutation builds. Null: it did not exist. */
  readonly base: number | null;
}

type Side = "undo" | "redo";

/** A mutation that its agent can undo, or an undo that it can redo. */
export interface StackRow {
  readonly agent: string;
  readonly programId: string;
  readonly side: Side;
  readonly position: number;
  readonly items: readonly StackedItem[];
  /** True if it changed the structure, so that its undo does too. */
  readonly isStructural: boolean;
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
  bytes: (row) => 400 + 240 * row.items.length,
};

/** The mutations of a side, the newest first. */
export function stackOf(
  state: StateReader,
  of: { readonly agent: string; readonly programId: string; readonly side: Side },
): readonly StackRow[] {
  const prefix = sidePrefix(of.agent, of.programId, of.side);
  return state.rows(stackTable).scan("top", { prefix, limit: 1_000, descending: true });
}

/** The mutation at this position, if its agent can undo or redo it. */
export function stackedAt(state: StateReader, programId: string, position: number): StackRow | undefined {
  const prefix = `${programId}${gap}${padded(position)}`;
  return state.rows(stackTable).scan("position", { prefix, limit: 1 })[0];
}

/** Whether a mutation that can be undone builds on the version of an item that the entry at this position made. */
export function isBaseOfStacked(
  state: StateReader,
  { programId, item }: { readonly programId: string; readonly item: string },
  position: number,
): boolean {
  const after = `${programId}${gap}${padded(position)}`;
  const later = state.rows(stackTable).scan("position", { prefix: `${programId}${gap}`, after, limit: Infinity });
  return later.some((row) =>
    row.items.some((each) => each.item === item && each.base !== null && each.base <= position),
  );
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
