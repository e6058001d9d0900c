import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { DurableView, State } from "../../server/src/machine/state.ts";
import type { TableSpec } from "../../server/src/machine/table.ts";

interface Row {
  readonly id: string;
  readonly rank: number;
}

const spec: TableSpec<Row, "rank" | "even"> = {
  name: "rows",
  key: (row) => row.id,
  sorts: {
    rank: (row) => String(row.rank).padStart(3, "0"),
    even: (row) => (row.rank % 2 === 0 ? String(row.rank).padStart(3, "0") : undefined),
  },
  due: { sort: "even", at: (row) => (row.rank % 2 === 0 ? row.rank : undefined) },
};

type Step = { readonly put: Row } | { readonly delete: string };

const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
const row = fc.record({ id: fc.constantFrom(...ids), rank: fc.nat(20) });
const steps = fc.array(
  fc.oneof(
    row.map((put): Step => ({ put })),
    fc.constantFrom(...ids).map((id): Step => ({ delete: id })),
  ),
  { maxLength: 60 },
);

function apply(state: State, list: readonly Step[]): void {
  const rows = state.rows(spec);
  for (const step of list) {
    if ("put" in step) rows.put(step.put);
    else rows.delete(step.delete);
  }
}

function shape(state: State): string {
  const rows = state.rows(spec);
  return JSON.stringify({
    dump: [...state.dump()],
    rank: rows.scan("rank", { limit: 100 }),
    even: rows.scan("even", { limit: 100 }),
  });
}

describe("tables", () => {
  test("the next due time of a table is never too late, and is exact if it is not after the given time", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ list: steps, time: fc.nat(20), isUndone: fc.boolean() })), (rounds) => {
        const state = new State([spec]);
        const rows = state.rows(spec);
        for (const { list, time, isUndone } of rounds) {
          apply(state, list);
          if (isUndone) state.undo.undoTo(0);
          else state.undo.settle();
          const found = rows.nextDue(time);
          const exact = rows.scan("even", { limit: 1 })[0]?.rank ?? Infinity;
          assert.ok((found ?? Infinity) <= exact);
          if ((found ?? Infinity) <= time || rows.size === 0) assert.equal(found ?? Infinity, exact);
        }
      }),
    );
  });

  test("a table scans by sort key and then by key, regardless of the order of insertion", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const state = new State([spec]);
        apply(state, list);
        const model = new Map<string, Row>();
        for (const step of list) {
          if ("put" in step) model.set(step.put.id, step.put);
          else model.delete(step.delete);
        }
        const sorted = [...model.values()].sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
        assert.deepEqual(state.rows(spec).scan("rank", { limit: 100 }), sorted);
        assert.deepEqual(state.rows(spec).scan("rank", { limit: 100, descending: true }), sorted.toReversed());
        assert.deepEqual(
          state.rows(spec).scan("even", { limit: 100 }),
          sorted.filter((row) => row.rank % 2 === 0),
        );
      }),
    );
  });

  test("an undo restores every table and index exactly, also when it stops at a mark", () => {
    fc.assert(
      fc.property(steps, steps, steps, (settled, kept, undone) => {
        const state = new State([spec]);
        apply(state, settled);
        state.undo.settle();
        const before = shape(state);
        apply(state, kept);
        const between = shape(state);
        const mark = state.undo.mark();
        apply(state, undone);
        state.undo.undoTo(mark);
        assert.equal(shape(state), between);
        state.undo.undoTo(0);
        assert.equal(shape(state), before);
        assert.ok(state.undo.isEmpty);
      }),
    );
  });

  test("a read by key returns the durable row while a batch is in flight, and scans are refused", () => {
    fc.assert(
      fc.property(steps, fc.array(steps, { minLength: 1, maxLength: 4 }), (settled, batch) => {
        const state = new State([spec]);
        apply(state, settled);
        state.undo.settle();
        const before = new Map(ids.map((id) => [id, state.rows(spec).get(id)]));
        const view = new DurableView(state).rows(spec);
        for (const part of batch) {
          apply(state, part);
          for (const [id, old] of before) assert.equal(view.get(id), old);
        }
        if (!state.undo.isEmpty) assert.throws(() => view.scan("rank", { limit: 1 }), /in flight/);
        state.undo.settle();
        for (const id of before.keys()) assert.equal(view.get(id), state.rows(spec).get(id));
      }),
    );
  });

  test("a scan can start after a sort key, stay within a prefix and stop at a limit", () => {
    const state = new State([spec]);
    for (const [index, id] of ids.toReversed().entries()) state.rows(spec).put({ id, rank: index });
    const scan = (range: { after?: string; prefix?: string; limit: number; descending?: boolean }): string =>
      state
        .rows(spec)
        .scan("rank", range)
        .map(({ id }) => id)
        .join("");
    assert.equal(scan({ limit: 3 }), "hgf");
    assert.equal(scan({ after: "002", limit: 2 }), "ed");
    assert.equal(scan({ prefix: "00", after: "006", limit: 9 }), "a");
    assert.equal(scan({ prefix: "004", after: "001", limit: 9 }), "d", "a start before the prefix is the prefix");
    assert.equal(scan({ prefix: "01", limit: 9 }), "");
    assert.equal(scan({ prefix: "001", limit: 1 }), "g");
    assert.equal(scan({ prefix: "00", after: "006", limit: 1 }), "a");
    assert.equal(scan({ prefix: "0005", limit: 1 }), "");
    assert.equal(scan({ limit: 3, descending: true }), "abc");
    assert.equal(scan({ prefix: "00", after: "005", limit: 9, descending: true }), "ab");
    assert.equal(scan({ prefix: "003", limit: 9, descending: true }), "e");
    assert.equal(scan({ prefix: "01", limit: 9, descending: true }), "");
  });
});
