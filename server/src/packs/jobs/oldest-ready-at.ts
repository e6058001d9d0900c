import { gap } from "../../features/locks/tables/lock-tables.ts";
import type { StateReader } from "../../machine/state.ts";
import { jobTable, readySince } from "./job-tables.ts";

/** The time since which the oldest ready job of a type waits. A delay before it was ready does not count. */
export function oldestReadyAt(state: StateReader, type: string): number | undefined {
  const [oldest] = state.rows(jobTable).scan("since", { prefix: `${type}${gap}`, limit: 1 });
  return oldest === undefined ? undefined : readySince(oldest);
}
