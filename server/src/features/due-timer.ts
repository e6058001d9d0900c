import type { Timer, TimerCommand } from "../machine/feature.ts";
import type { TableSpec } from "../machine/table.ts";

interface DueRows<Row> extends Pick<Timer, "runsInGrace"> {
  readonly dueAt: (row: Row) => number | undefined;
  readonly command: (row: Row) => TimerCommand;
}

/** A timer over the rows of a table. `sort` orders them by the time that `dueAt` returns. */
export function dueTimer<Row, Sort extends string>(
  table: TableSpec<Row, Sort>,
  sort: Sort,
  { dueAt, command, ...rest }: DueRows<Row>,
): Timer {
  return {
    ...rest,
    nextTime: (state, time) => {
      if (table.due?.sort === sort) return state.rows(table).nextDue(time);
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
