import assert from "node:assert/strict";
import { test } from "node:test";
import { type StoredBatch, unsealAll } from "../../server/src/journal/unseal.ts";
import { type PostgresNode, shareJournal } from "./postgres-nodes.ts";
import { processPostgres } from "./process-postgres.ts";
import { counts } from "../prove/counts.ts";

const rounds = counts.nodeRaces;

/** Postgres sends numbers of 64 bits as text. */
function toStoredBatch(row: Readonly<Record<string, unknown>>): StoredBatch {
  const { first, count, time, previous, hash, lines } = row;
  return {
    ...{ first: Number(first), count: Number(count), time: Number(time) },
    ...{ previous: String(previous), hash: String(hash), lines: String(lines) },
  };
}

test("exactly one of 2 to 32 writers on three nodes that expect the same version wins, and each other one gets a conflict [M1 M2 X7]", async () => {
  const shared = shareJournal(await processPostgres());
  try {
    const nodes = await Promise.all([1, 2, 3].map(() => shared.node()));
    const [first] = nodes as [PostgresNode];
    await first.client.entities.create("counter", "1", { round: 0, by: -1 });
    let conflictCount = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const writers = Array.from({ length: 2 + (round % 31) }, (_, index) => index);
      const results = await Promise.allSettled(
        writers.map((by) => {
          const { client } = nodes[by % 3] ?? first;
          return client.entities.replace("counter", "1", { round, by }, { expectedVersion: round });
        }),
      );
      const won = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.version] : []));
      assert.deepEqual(won, [round + 1], `round ${String(round)}`);
      conflictCount += writers.length - 1;
    }
    await Promise.all(nodes.map(({ engine }) => engine.catchUp()));
    const rows = await shared.sql("SELECT * FROM batches ORDER BY first");
    const entries = rows.map(toStoredBatch).flatMap((stored) => unsealAll(stored, stored.previous));
    const recorded = entries.flatMap(({ events }) => events.filter(({ type }) => type === "entity.conflict"));
    assert.equal(recorded.length, conflictCount);
    for (const { client } of nodes) {
      assert.deepEqual((await client.entities.get("counter", "1")).version, rounds + 1);
    }
  } finally {
    await shared.close();
  }
});
