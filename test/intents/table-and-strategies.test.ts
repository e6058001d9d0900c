/** The table of transitions, the strategies and the lock timeout, through the client in process and over HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidStatusTransitionError, LockTimeoutError } from "@holdfast/sdk/intent-errors";
import { intentStatuses } from "@holdfast/sdk/contract";
import { refusedWith } from "../api/refused-with.ts";
import { clientNode, held, soon } from "../client/client-node.ts";
import { httpNode } from "./http-node.ts";
import type { MatrixNode } from "./matrix-row.ts";

/** Written out: a test that reads the table of the contract could not see an error in it. */
const allowed: Readonly<Record<string, string>> = {
  received: "normalized processed failed",
  normalized: "processed completed failed",
  processed: "processed corrected completed failed",
  corrected: "corrected completed failed",
  completed: "",
  failed: "",
};

const ways: readonly (readonly [way: string, start: () => Promise<MatrixNode>])[] = [
  ["in process", clientNode],
  ["over HTTP", httpNode],
];

for (const [way, start] of ways) {
  test(`each of the 36 transitions is done or refused by the table, ${way} [B1]`, async () => {
    await using node = await start();
    const { intents } = node.fresh("ann");
    for (const from of intentStatuses)
      for (const to of intentStatuses) {
        const id = `${from}-${to}`;
        await intents.create({ id, payload: {}, status: from });
        const isAllowed = allowed[from]?.split(" ").includes(to) === true;
        const work = intents.transition(id, to);
        if (isAllowed) assert.equal((await work).status, to, id);
        else await assert.rejects(work, InvalidStatusTransitionError, id);
        assert.equal((await intents.get(id)).status, isAllowed ? to : from, id);
      }
  });

  test(`the strategy of each operation decides whether it passes the lock of another owner, ${way} [B2]`, async () => {
    await using node = await start();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await ann.intents.create({ id: "1", payload: {}, status: "processed" });
    held(await bob.tryAcquire("intent/1", { ttlMs: 60_000 }));
    const because = { source: "pricing", reason: "the list changed" };
    const operations = {
      updatePayload: () => ann.intents.update("1", { n: 1 }),
      reEvaluate: () => ann.intents.reevaluate("1", { diff: { price: 7 }, ...because }),
      updateStatus: () => ann.intents.transition("1", "completed"),
    };
    const defaults = { updatePayload: "optimistic", reEvaluate: "optimistic", updateStatus: "pessimistic" };
    for (const [name, write] of Object.entries(operations)) {
      const refused = await write().catch((error: unknown) => error);
      assert.ok(refused instanceof LockTimeoutError, name);
      assert.equal(refused.data["strategy"], defaults[name as keyof typeof defaults]);
    }
    for (const [name, write] of Object.entries(operations)) {
      await ann.intents.configure({ strategies: { [name]: "none" } });
      await write();
    }
    const { status, payload } = await ann.intents.get("1");
    assert.deepEqual([status, payload], ["completed", { n: 1, price: 7 }]);
    for (const name of ["pipelineExecute", "auditLog"])
      await assert.rejects(
        ann.intents.configure({ strategies: { [name]: "optimistic" } }),
        refusedWith("intents.strategy_fixed"),
      );
  });

  test(`a status update that waits for a held lock is refused after 5 s with the holder, ${way} [B3]`, async () => {
    await using node = await start();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await ann.intents.create({ id: "1", payload: {} });
    held(await bob.tryAcquire("intent/1", { ttlMs: 60_000, purpose: "a talk" }));
    const waiting = ann.intents.transition("1", "processed", { wait: true }).catch((error: unknown) => error);
    await soon(async () => (await bob.locks.status("intent/1")).queue.length === 1);
    await node.clock.pass(5_001, 250);
    const refused = await waiting;
    assert.ok(refused instanceof LockTimeoutError, String(refused));
    assert.ok(refused.waitedMs >= 5_000 && refused.waitedMs <= 5_500, String(refused.waitedMs));
    assert.equal(refused.holders[0]?.purpose, "a talk");
    const { status, version } = await ann.intents.get("1");
    assert.deepEqual([status, version], ["received", 1]);
  });
}
