import { defined } from "@holdfast/sdk/base/defined";
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import { findIntent, openRun } from "./intent-value.ts";
import { isFinal } from "./transition-fault.ts";

/** The index of intents: by status, by the state of an open run, and by the fence of a running one. */
export interface IntentRow {
  readonly id: string;
  readonly status: string;
  /** The state of the open run. */
  readonly run?: string;
  readonly pipeline?: string;
  /** The fence of a running run. */
  readonly fence?: string;
  /** The time of the last change of an ended intent. */
  readonly endedMs?: number;
}

/** Separates the parts of a sort key. Ids have no control characters. */
export const gap = "\u0001";

export const intentTable: TableSpec<IntentRow, "id" | "status" | "run" | "fence" | "ended"> = {
  name: "intents",
  boundedBy: "quota",
  key: (row) => row.id,
  sorts: {
    id: (row) => row.id,
    status: (row) => `${row.status}${gap}${row.id}`,
    run: (row) => (row.run === undefined ? undefined : `${row.run}${gap}${row.id}`),
    fence: (row) => (row.fence === undefined ? undefined : `${row.fence}${gap}${row.id}`),
    ended: (row) => (row.endedMs === undefined ? undefined : `${String(row.endedMs).padStart(16, "0")}${gap}${row.id}`),
  },
  uniqueSorts: ["id", "status", "run", "fence", "ended"],
  bytes: (row) => 400 + 4 * row.id.length,
};

/** The number of open runs in each state. */
export function openRunCounts(state: StateReader): Record<"running" | "interrupted" | "paused", number> {
  const rows = state.rows(intentTable);
  // Running runs are the many. They have a sort of their own, so they are counted without a scan.
  const counted = (run: string): number => rows.scan("run", { prefix: `${run}${gap}`, limit: Infinity }).length;
  return { running: rows.count("fence"), interrupted: counted("interrupted"), paused: counted("paused") };
}

/** The row of an intent as its entity is; undefined if there is none. */
export function intentRowOf(state: StateReader, id: string): IntentRow | undefined {
  const found = findIntent(state, id);
  if (found === undefined) return undefined;
  const { value, row } = found;
  const run = openRun(value);
  return {
    id,
    status: value.status,
    ...defined({
      run: run?.state,
      pipeline: run?.pipeline,
      endedMs: run === undefined && isFinal(value.status) ? row.time : undefined,
      fence: run?.state === "running" ? run.fence : undefined,
    }),
  };
}
