import type { StateReader } from "../../machine/state.ts";
import type { TableReader } from "../../machine/table.ts";

/**
 * Calls a query with the state. Access after the query returned or first waited throws: a batch may be in flight by then,
 * and the query would mix two moments.
 */
export function withMomentaryState<Result>(state: StateReader, query: (state: StateReader) => Result): Result {
  const moment: Moment = { isOver: false };
  try {
    return query(new MomentaryState(state, moment));
  } finally {
    moment.isOver = true;
  }
}

interface Moment {
  isOver: boolean;
}

function requireMoment({ isOver }: Moment): void {
  if (isOver) throw new Error("a read used its state after it had waited: use services.engine.scan instead");
}

class MomentaryState implements StateReader {
  readonly #state: StateReader;
  readonly #moment: Moment;

  constructor(state: StateReader, moment: Moment) {
    this.#state = state;
    this.#moment = moment;
  }

  get bytes(): number {
    requireMoment(this.#moment);
    return this.#state.bytes;
  }

  rows: StateReader["rows"] = (spec) => new MomentaryTable(this.#state.rows(spec), this.#moment);
}

class MomentaryTable<Row, Sort extends string> implements TableReader<Row, Sort> {
  readonly #rows: TableReader<Row, Sort>;
  readonly #moment: Moment;

  constructor(rows: TableReader<Row, Sort>, moment: Moment) {
    this.#rows = rows;
    this.#moment = moment;
  }

  get size(): number {
    requireMoment(this.#moment);
    return this.#rows.size;
  }

  get: TableReader<Row, Sort>["get"] = (key) => {
    requireMoment(this.#moment);
    return this.#rows.get(key);
  };

  scan: TableReader<Row, Sort>["scan"] = (sort, range) => {
    requireMoment(this.#moment);
    return this.#rows.scan(sort, range);
  };

  count: TableReader<Row, Sort>["count"] = (sort) => {
    requireMoment(this.#moment);
    return this.#rows.count(sort);
  };

  nextDue: TableReader<Row, Sort>["nextDue"] = (time) => {
    requireMoment(this.#moment);
    return this.#rows.nextDue(time);
  };
}
