import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "holdfast";
import { holdfast } from "../scenario/holdfast-command.ts";
import { proxyFor } from "./tcp-proxy.ts";
import { folderFor } from "./with-server.ts";

test("clients of a killed and restarted server reconnect, and keep their grants and places in queues [X5]", async (t) => {
  const folder = await folderFor(t);
  const up = async () => {
    const server = holdfast(folder, "up --json");
    t.after(() => server.signal("SIGKILL"));
    const { url } = JSON.parse(await server.line(/"up"/u)) as { readonly url: string };
    return { url, server };
  };
  const first = await up();
  const proxy = await proxyFor(t, first.url);
  await using client = await connect(proxy.url);
  const ann = client.as(await client.agents.register({ name: "ann" }));
  const registered = await client.agents.register({ name: "bob" });
  const bob = client.as(registered);
  const held = (await ann.operations.acquireLock({ paths: ["a"], ttlMs: 60_000 })) as { readonly fence: string };
  const mine = bob.watch({ owner: registered.agentId });
  const { ticket } = (await bob.operations.acquireLock({ paths: ["a"], ttlMs: 60_000, wait: true })) as {
    readonly ticket: string;
  };

  first.server.signal("SIGKILL");
  await first.server.ended;
  // Sent while no server runs. The call waits for the restarted server.
  const renewed = ann.locks.renew({ fence: held.fence });
  const second = await up();
  proxy.leadTo(second.url);

  assert.equal((await renewed).fence, held.fence);
  const waiting = await bob.locks.ticket(ticket);
  assert.deepEqual([waiting.state, waiting.state === "waiting" && waiting.place], ["waiting", 1]);
  await ann.locks.release({ fence: held.fence });
  const names: string[] = [];
  for await (const { name } of mine) {
    names.push(name);
    if (name === "evt.lock.acquired") break;
  }
  assert.equal(names.filter((name) => name === "evt.lock.acquired").length, 1);
  assert.equal((await bob.locks.accept(ticket)).granted, true);
});
