import assert from "node:assert/strict";
import { test } from "node:test";
import { entityTable } from "../../server/src/features/entities/entity-table.ts";
import { State } from "../../server/src/machine/state.ts";
import type { StateReader } from "../../server/src/machine/state.ts";
import type { TableReader } from "../../server/src/machine/table.ts";
import { withMomentaryState } from "../../server/src/app/reads/momentary-state.ts";

const range = { limit: 1 };

test("a read that waited cannot use its state, nor a table that it opened before", async () => {
  const state = new State([entityTable]);
  let early: TableReader<unknown> | undefined;
  const read = async (moment: StateReader): Promise<void> => {
    early = moment.rows(entityTable);
    assert.equal(early.get("page/1"), undefined);
    assert.deepEqual(early.scan("subject", range), []);
    await Promise.resolve();
    const refused = /used its state after it had waited/u;
    assert.throws(() => moment.rows(entityTable).get("page/1"), refused);
    assert.throws(() => moment.bytes, refused);
    assert.throws(() => early?.get("page/1"), refused);
    assert.throws(() => early?.scan("subject", range), refused);
    assert.throws(() => early?.count("subject"), refused);
    assert.throws(() => early?.size, refused);
  };
  await withMomentaryState(state, read);
});
