/** The version or the revision that a run and a step expect. */
import assert from "node:assert/strict";
import { refusedWith } from "../api/refused-with.ts";
import { onEveryTransport } from "../client/every-transport.ts";

const id = "1";
const plan = { pipeline: "orders", bridges: [{ name: "input" }, { name: "price" }] };
const mismatch = refusedWith("intents.concurrency_mismatch");

onEveryTransport(
  "a run and a step are refused if the intent has another version or revision [B5 M1]",
  async (client) => {
    const { run, advance } = client.operations.intents;
    const created = await client.intents.create({ id, payload: {} });
    const changed = await client.intents.update(id, { text: "two chairs" });
    await using lock = await client.acquire(`intent/${id}`);
    const { fence } = lock;
    const old = [{ expectedVersion: created.version }, { expectedRevision: created.revision }];
    for (const expected of old) await assert.rejects(run({ id, fence, ...plan, ...expected }), mismatch);
    assert.equal((await client.intents.get(id)).runCount, 0);
    const begun = await run({ id, fence, ...plan, expectedRevision: changed.revision });
    const step = { id, fence, run: 1, step: "input", outcome: "done" };
    for (const expected of old) await assert.rejects(advance({ ...step, ...expected }), mismatch);
    assert.equal((await client.intents.get(id)).version, begun.version);
    const ended = await advance({ ...step, expectedVersion: begun.version, expectedRevision: begun.revision });
    assert.equal(ended.run?.current, "price");
  },
);
