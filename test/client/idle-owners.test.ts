/**
 * A program can act for any number of owners. The client frees the state of an owner that has no locks and no tickets.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createClient } from "holdfast";
import type { Client, Transport } from "holdfast";
import { transportOf } from "../../server/src/assembly/open.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { clientNode, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";
import { clientTime } from "./client-time.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** A client with the set of owners that it watches. */
function watchingClient(node: ClientNode): { client: Client; watched: Set<string | undefined> } {
  const inner = transportOf(node.services);
  const watched = new Set<string | undefined>();
  const watch: Transport["watch"] = (options) => {
    const pages = inner.watch(options);
    watched.add(options.owner);
    return {
      ...pages,
      [Symbol.asyncIterator]: () => pages,
      return: () => {
        watched.delete(options.owner);
        return pages.return!();
      },
    };
  };
  let ids = 0;
  const time = clientTime(node.clock, () => `id-${(ids += 1)}`);
  return { client: createClient({ ...inner, watch }, { clock: time }), watched };
}

test("a client that acts as an agent and takes no lock is garbage-collected", async () => {
  await using node = await clientNode();
  const spoken = Array.from(
    { length: 20 },
    (_, index) => new WeakRef(node.client.as({ agentId: `a${index}` }).acquire),
  );
  const alive = () => spoken.filter((reference) => reference.deref() !== undefined).length;
  // One collection may keep an object that a register still points to. A client that leaks survives all of them.
  for (let round = 0; round < 10 && alive() > 0; round += 1) {
    await loopTicks(2);
    collect();
  }
  assert.equal(alive(), 0);
  assert.equal(typeof node.client.acquire, "function", "the root client is alive");
});

test("a client stops watching an owner that has no locks and no tickets, and resumes on the next acquire", async () => {
  await using node = await clientNode();
  const { client, watched } = watchingClient(node);
  const agents = [await client.agents.register({ name: "ann" }), await client.agents.register({ name: "bob" })];
  const [ann, bob] = agents.map((agent) => client.as(agent)) as [Client, Client];
  const kept = held(await ann.acquire("kept"));
  await held(await bob.acquire("a")).release();
  await held(await client.acquire("b", { ownerId: "eve" })).release();
  assert.equal(watched.size, 3);
  await node.clock.pass(130_000, 1_000);
  assert.deepEqual([...watched], [agents[0]?.agentId], "an owner with a lock is watched");

  const again = held(await bob.acquire("a"));
  assert.deepEqual(watched.has(agents[1]?.agentId), true);
  await node.clock.pass(130_000, 1_000);
  assert.deepEqual([kept.state, again.state], ["held", "held"]);
  await node.client.locks.forceRelease(again.fence, "stuck");
  await soon(() => again.signal.aborted);
  await client.close();
  assert.equal((await node.client.locks.status("kept")).holders.length, 0, "a lock ends with its client");
});
