/** Rows of the matrix about words, re-evaluation and transitions. */
import assert from "node:assert/strict";
import { ConcurrencyConflictError, InvalidStatusTransitionError } from "@holdfast/sdk/intent-errors";
import { intentStatuses } from "@holdfast/sdk/contract";
import { held } from "../client/client-node.ts";
import { refusedWith } from "../api/refused-with.ts";
import { passUntil } from "./matrix-row.ts";
import type { MatrixRow } from "./matrix-row.ts";

const because = { source: "pricing", reason: "the list changed" };

const words: readonly MatrixRow[] = [
  {
    category: "enum",
    promise: "a status is accepted in any case and stored in lower case",
    prove: async ({ intents }) => {
      assert.equal((await intents.create({ id: "1", payload: {}, status: "Received" })).status, "received");
      assert.equal((await intents.transition("1", "NORMALIZED" as never)).status, "normalized");
    },
  },
  {
    category: "enum",
    promise: "modes and strategies are accepted in any case",
    prove: async (client) => {
      const { strategies } = await client.intents.configure({ strategies: { updatePayload: "PESSIMISTIC" } });
      assert.equal(strategies.updatePayload, "pessimistic");
      await client.intents.create({ id: "1", payload: {} });
      const bridges = [{ name: "input", execute: () => undefined }];
      const pipeline = await client.intents.bridges(bridges, { name: "orders", mode: "Continue" as never });
      assert.equal((await pipeline.execute("1")).run?.mode, "continue");
    },
  },
  {
    category: "enum",
    promise: "an unknown status, mode or strategy is refused with the known ones",
    prove: async (client) => {
      const unknown = refusedWith("intents.status_unknown");
      await assert.rejects(client.intents.create({ id: "1", payload: {}, status: "sold" }), unknown);
      await assert.rejects(client.intents.configure({ strategies: { reEvaluate: "hopeful" } }), unknown);
      await client.intents.create({ id: "1", payload: {} });
      const refused = await client.intents.transition("1", "sold" as never).catch((error: unknown) => error);
      assert.ok(refused instanceof InvalidStatusTransitionError);
      assert.deepEqual(refused.data["known"], [...intentStatuses]);
    },
  },
];

const idempotency: readonly MatrixRow[] = [
  {
    category: "idempotency",
    promise: "a repeated re-evaluation is answered with the first application and changes nothing",
    prove: async (client, { clock }) => {
      await client.intents.create({ id: "1", payload: {}, status: "processed" });
      const first = await client.intents.reevaluate("1", { ...because, diff: { price: 7 } });
      await clock.pass(1_000, 500);
      const again = await client.intents.reevaluate("1", { ...because, diff: { price: 7 } });
      assert.deepEqual(again, { ...first, alreadyApplied: true });
    },
  },
  {
    category: "idempotency",
    promise: "spelling and order of members do not make another correction, and another difference does",
    prove: async ({ intents }) => {
      await intents.create({ id: "1", payload: {}, status: "processed" });
      const { correctionId } = await intents.reevaluate("1", { ...because, diff: { a: 1, b: { c: 2, d: 3 } } });
      const spelled = await intents.reevaluate("1", { ...because, diff: { payload: { b: { d: 3, c: 2 }, a: 1 } } });
      assert.deepEqual([spelled.correctionId, spelled.alreadyApplied], [correctionId, true]);
      const other = await intents.reevaluate("1", { ...because, diff: { a: 2 } });
      assert.deepEqual([other.alreadyApplied, other.correctionCount], [false, 2]);
    },
  },
  {
    category: "idempotency",
    promise: "a repeated re-evaluation of a completed intent is answered, and a new one is refused",
    prove: async ({ intents }) => {
      await intents.create({ id: "1", payload: {}, status: "processed" });
      await intents.reevaluate("1", { ...because, diff: { price: 7 } });
      await intents.transition("1", "completed");
      assert.equal((await intents.reevaluate("1", { ...because, diff: { price: 7 } })).alreadyApplied, true);
      const late = intents.reevaluate("1", { ...because, diff: { price: 8 } });
      await assert.rejects(late, InvalidStatusTransitionError);
    },
  },
];

const conflict: readonly MatrixRow[] = [
  {
    category: "conflict",
    promise: "a re-evaluation with an old version reads again, retries after 200 ms, and is done",
    prove: async (client, { clock }) => {
      await client.intents.create({ id: "1", payload: {}, status: "processed" });
      await client.intents.update("1", { n: 1 });
      const work = client.intents.reevaluate("1", { ...because, diff: { price: 7 } }, { expectedVersion: 1 });
      let isDone = false;
      void work.then(() => (isDone = true));
      await clock.pass(140, 10);
      assert.equal(isDone, false, "the second try comes after 150 ms at the earliest");
      const { alreadyApplied, correctionCount } = await passUntil(clock, work);
      assert.deepEqual([alreadyApplied, correctionCount], [false, 1]);
    },
  },
  {
    category: "conflict",
    promise: "a re-evaluation that loses every race takes the lock, and fails only if the lock does not come in time",
    prove: async (client, node) => {
      const { clock } = node;
      await client.intents.create({ id: "1", payload: {}, status: "processed" });
      const rival = node.fresh("rival");
      let tries = 0;
      const diff = (): { price: number } => {
        tries += 1;
        // The write and the lock of the rival come between the read and the write of this try.
        if (tries <= 3) void rival.operations.intents.update({ id: "1", changes: { n: tries } });
        return { price: 7 };
      };
      const done = client.intents.reevaluate("1", { ...because, diff });
      assert.deepEqual([(await passUntil(clock, done)).correctionCount, tries], [1, 4]);
      await client.intents.configure({ strategies: { reEvaluate: "none" } });
      const lock = held(await rival.tryAcquire("intent/1", { ttlMs: 60_000 }));
      tries = 0;
      const late = client.intents.reevaluate("1", { ...because, diff: () => ({ ...diff(), price: 8 }) });
      const refused = await passUntil(
        clock,
        late.catch((error: unknown) => error),
      );
      assert.ok(refused instanceof ConcurrencyConflictError, String(refused));
      await lock.release();
    },
  },
];

const transitions: readonly MatrixRow[] = [
  ...(
    [
      ["received", "normalized"],
      ["processed", "completed"],
      ["corrected", "completed"],
    ] as const
  ).map(([from, to]): MatrixRow => ({
    category: "transitions",
    promise: `a ${from} intent becomes ${to}`,
    prove: async ({ intents }) => {
      await intents.create({ id: "1", payload: {}, status: from });
      assert.equal((await intents.transition("1", to)).status, to);
    },
  })),
  {
    category: "transitions",
    promise: "a completed intent refuses every status",
    prove: async ({ intents }) => {
      await intents.create({ id: "1", payload: {}, status: "completed" });
      for (const to of intentStatuses) await assert.rejects(intents.transition("1", to), InvalidStatusTransitionError);
    },
  },
  {
    category: "transitions",
    promise: "every open intent can become failed, and a failed one refuses every status",
    prove: async ({ intents }) => {
      for (const status of ["received", "normalized", "processed", "corrected"]) {
        await intents.create({ id: status, payload: {}, status });
        assert.equal((await intents.transition(status, "failed")).status, "failed");
        for (const to of intentStatuses)
          await assert.rejects(intents.transition(status, to), InvalidStatusTransitionError);
      }
    },
  },
];

export const correctionRows = [...words, ...idempotency, ...conflict, ...transitions];
