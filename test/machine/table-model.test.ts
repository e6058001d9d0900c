import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { State } from "../../server/src/machine/state.ts";
import type { RowChange, TableSpec } from "../../server/src/machine/table.ts";

interface Row {
  readonly id: string;
  readonly rank: number;
}

function sortKey({ rank }: Row): string {
  return String(rank).padStart(3, "0");
}

const spec: TableSpec<Row, "rank" | "even" | "place"> = {
  name: "rows",
  key: (row) => row.id,
  sorts: {
    rank: sortKey,
    even: (row) => (row.rank % 2 === 0 ? sortKey(row) : undefined),
    place: (row) => `${sortKey(row)}${row.id}`,
  },
  uniqueSorts: ["place"],
  bytes: (row) => 10 + row.rank,
};

interface Scan {
  readonly sort: "rank" | "even" | "place";
  readonly limit: number;
  readonly after?: string;
  readonly descending: boolean;
}

type Step =
  | { readonly put: Row }
  | { readonly delete: string }
  | { readonly scan: Scan }
  | "count"
  | "capture"
  | "settle"
  | "undo";

/** A state of one table, next to plain Maps that hold the same rows. */
class ModelledTable {
  readonly #state = new State([spec]);
  #rows = new Map<string, Row>();
  #durable = new Map<string, Row>();
  #captured = new Map<string, Row>();

  take(step: Step): void {
    const rows = this.#state.rows(spec);
    if (step === "settle") this.#settle();
    else if (step === "capture") this.#capture();
    else if (step === "undo") this.#undo();
    else if (step === "count") assert.equal(rows.count("even"), this.#inOrder().filter(isEven).length);
    else if ("put" in step) {
      rows.put(step.put);
      this.#rows.set(step.put.id, step.put);
    } else if ("delete" in step) {
      rows.delete(step.delete);
      this.#rows.delete(step.delete);
    } else this.#scan(step.scan);
  }

  check(): void {
    const rows = this.#state.rows(spec);
    const inOrder = this.#inOrder();
    assert.deepEqual(rows.scan("rank", { limit: Infinity }), inOrder);
    assert.deepEqual(rows.scan("even", { limit: Infinity }), inOrder.filter(isEven));
    assert.deepEqual(rows.scan("place", { limit: Infinity }), inOrder);
    assert.equal(rows.size, inOrder.length);
    assert.equal(
      this.#state.bytes,
      inOrder.reduce((bytes, { rank }) => bytes + 10 + rank, 0),
    );
    const dumped = [...this.#state.dump()].map(({ row }) => row as Row);
    assert.deepEqual(dumped, inOrder.toSorted(byId));
    for (const { id } of inOrder) assert.equal(rows.get(id), this.#rows.get(id));
  }

  #inOrder(): Row[] {
    return [...this.#rows.values()].sort((a, b) => a.rank - b.rank || byId(a, b));
  }

  /** Each order is brought up to date on its own, so the orders of one table lack different changes. */
  #scan({ sort, ...range }: Scan): void {
    const { after, descending, limit } = range;
    const inOrder = sort === "even" ? this.#inOrder().filter(isEven) : this.#inOrder();
    const keyOf = sort === "place" ? spec.sorts.place : sortKey;
    const above = inOrder.filter((row) => after === undefined || (keyOf(row) ?? "") > after);
    const expected = (descending ? above.toReversed() : above).slice(0, limit);
    assert.deepEqual(this.#state.rows(spec).scan(sort, range), expected);
  }

  #settle(): void {
    this.#state.undo.settle();
    this.#durable = new Map(this.#rows);
  }

  #undo(): void {
    this.#state.undo.undoTo(0);
    this.#rows = new Map(this.#durable);
  }

  #capture(): void {
    this.#settle();
    const expected: RowChange[] = [];
    for (const key of [...new Set([...this.#captured.keys(), ...this.#rows.keys()])].sort()) {
      const [old, row] = [this.#captured.get(key), this.#rows.get(key)];
      if (old !== row) expected.push({ table: "rows", key, old, row });
    }
    const changes = this.#state.capture().toSorted((a, b) => (a.key < b.key ? -1 : 1));
    assert.deepEqual(changes, expected);
    this.#captured = new Map(this.#rows);
  }
}

function byId(a: Row, b: Row): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function isEven({ rank }: Row): boolean {
  return rank % 2 === 0;
}

const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const rank = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ id, rank }).map((put) => ({ put })) },
  { weight: 4, arbitrary: id.map((key) => ({ delete: key })) },
  {
    weight: 2,
    arbitrary: fc
      .record({
        sort: fc.constantFrom<Scan["sort"][]>("rank", "even", "place"),
        limit: fc.nat(4),
        after: fc.option(
          rank.map((number) => String(number).padStart(3, "0")),
          { nil: undefined },
        ),
        descending: fc.boolean(),
      })
      .map(({ after, ...range }) => ({ scan: after === undefined ? range : { ...range, after } })),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>("count", "capture", "settle", "undo") },
);

describe("tables against a model", () => {
  test("a table equals plain Maps after any mix of changes, scans, captures, settles and undos", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const table = new ModelledTable();
        for (const one of steps) table.take(one);
        table.check();
        table.take("undo");
        table.check();
        table.take("capture");
        table.check();
      }),
    );
  });

  test("a table equals plain Maps after tens of thousands of rows were added and removed without a scan", () => {
    const table = new ModelledTable();
    const row = (number: number): Row => ({ id: `row-${number}`, rank: number % 900 });
    for (let number = 0; number < 300; number += 1) table.take({ put: row(number) });
    table.take("capture");
    for (let number = 0; number < 15_000; number += 1) {
      // One row of the capture is removed and added again with each other row, and most others are removed at once.
      table.take({ delete: `row-${number % 300}` });
      table.take({ put: row(number % 300) });
      table.take({ put: row(300 + (number % 6_000)) });
      if (number % 7 !== 0) table.take({ delete: `row-${300 + (number % 6_000)}` });
      if (number % 5_000 === 4_000) table.take("settle");
    }
    table.check();
    table.take("undo");
    table.check();
    table.take("capture");
    table.check();
  });
});
