import type { Timer, TimerCommand } from "../machine/feature.ts";
import type { TableSpec } from "../machine/table.ts";

/** A timer over the rows of a table. `sort` orders them by the time that `dueAt` returns. */
export function dueTimer<Row, Sort extends string>(
  table: TableSpec<Row, Sort>,
  sort: Sort,
  {
    dueAt,
    command,
  }: { readonly dueAt: (row: Row) => number | undefined; readonly command: (row: Row) => TimerCommand },
): Timer {
  return {
    nextTime: (state) => {
      const [first] = state.rows(table).scan(sort, { limit: 1 });
      return first === undefined ? undefined : dueAt(first);
    },
    due: (state, time, limit) =>
      state
        .rows(table)
        .scan(sort, { limit })
        .filter((row) => (dueAt(row) ?? Infinity) <= time)
        .map(command),
  };
}
