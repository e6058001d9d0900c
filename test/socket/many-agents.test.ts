/** A program with many agents has one socket. Each agent is served as if it had its own. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { closeCodes, socketPath } from "@holdfast/sdk/contract";
import { WebSocket } from "ws";
import { connect, createClient } from "holdfast";
import type { Client } from "holdfast";
import { AddressRing } from "../../sdk/src/client/transport/address-ring.ts";
import { systemClientClock as clock } from "../../sdk/src/client/client-clock.ts";
import { SocketTransport } from "../../sdk/src/client/transport/socket-transport.ts";
import { refusedWith } from "../api/refused-with.ts";
import { held } from "../client/client-node.ts";
import { doorFor } from "./door-for.ts";
import { rawSocketFor } from "./raw-socket.ts";
import { proxyFor } from "./tcp-proxy.ts";
import { serverFor } from "./with-server.ts";

const agentsMax = 3;

/** A client of a server that allows three agent numbers, and a function that breaks its connection. */
async function narrowClientFor(t: TestContext): Promise<{ client: Client; cut: () => void }> {
  const proxy = await proxyFor(t, (await doorFor(t, { agentsMax })).url);
  const nodes = new AddressRing([{ url: new URL(proxy.url), from: "the test" }], () => 0);
  const client = createClient(new SocketTransport({ nodes, clock, reconnectMs: 30_000, agentsMax }));
  t.after(() => client.close());
  return { client, cut: () => proxy.cut() };
}

test("one socket serves more agents in sequence than it allows agent numbers", async (t) => {
  const { client, cut } = await narrowClientFor(t);
  for (let task = 0; task < 4 * agentsMax; task += 1) {
    await using fork = client.agent({ name: `task-${task}` });
    await using lock = held(await fork.acquire("doc/1"));
    assert.equal(lock.state, "held");
    if (task === 2 * agentsMax) cut();
  }
  assert.deepEqual((await client.entities.list("doc")).items, []);
});

test("one socket serves more concurrent agents than it allows agent numbers, and identifies each of them", async (t) => {
  const { client, cut } = await narrowClientFor(t);
  const names = Array.from({ length: 4 * agentsMax }, (_, index) => `task-${index}`);
  const agents = await Promise.all(names.map((name) => client.agents.register({ name })));
  const whoAmI = async ({ agentId: agent, secret }: { readonly agentId: string; readonly secret: string }) => {
    const answer = await client.run("who-am-i", {}, { agent, agentSecret: secret });
    return answer.agent?.name;
  };
  assert.deepEqual(await Promise.all(agents.map(whoAmI)), names);
  // Agent numbers of a broken connection are invalid on the next one.
  const answer = agents.map(whoAmI);
  cut();
  assert.deepEqual(await Promise.all(answer), names);
});

test("each of 300 agents over one socket is notified that its lock is lost", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const forks = Array.from({ length: 300 }, (_, index) => client.agent({ name: `task-${index}` }));
  const locks = await Promise.all(forks.map(async (fork, index) => held(await fork.acquire(`doc/${index}`))));
  const lost = locks.map(({ signal }) => once(signal, "abort"));
  // Releases each lock behind its handle, as another process of the same owner would.
  await Promise.all(forks.map((fork, index) => fork.locks.release({ fence: locks[index]!.fence })));
  await Promise.all(lost);
  assert.deepEqual(new Set(locks.map(({ state }) => state)), new Set(["lost"]));
});

test("watches of owners and watches of all events have separate limits", async (t) => {
  const { url } = await doorFor(t, { watchesMax: 1, ownerWatchesMax: 2 });
  const socket = await rawSocketFor(t, url);
  socket.hello();
  socket.send({ kind: "watch", id: 1, after: "1.0" }, { kind: "watch", id: 2, after: "1.0", owner: "ann" });
  socket.send({ kind: "listen", id: 3, owner: "ann" }, { kind: "watch", id: 4, after: "1.0", owner: "bob" });
  const refused = { kind: "problem", problem: { code: "watch_limit", data: { limit: 2 } } };
  assert.deepEqual(await socket.message("problem"), { ...refused, id: 4 });
  socket.send({ kind: "unwatch", id: 2 }, { kind: "ping", id: 9 });
  await socket.message("pong");
  socket.send({ kind: "listen", id: 4, owner: "bob" }, { kind: "listen", id: 5, owner: "eve" });
  assert.deepEqual(await socket.message("problem"), { ...refused, id: 5 });
});

test("a server has a maximum of sockets, and a socket has a maximum of agents [X15]", async (t) => {
  const { url } = await doorFor(t, { socketsMax: 1, agentsMax: 2 });
  const socket = await rawSocketFor(t, url);
  socket.hello();
  await socket.message("welcome");
  const [refused] = (await once(new WebSocket(new URL(socketPath, url)), "error")) as [Error];
  assert.match(refused.message, /503/u);
  for (const id of [1, 2, 3]) socket.send({ kind: "agent", as: id, agent: `agent-${id}` });
  assert.equal(await socket.closed, closeCodes.refused);
});

test("an old secret of an agent is refused at once, also on the socket that used it before [X14]", async (t) => {
  const client = await connect((await serverFor(t)).url);
  t.after(() => client.close());
  const first = await client.agents.register({ ownKey: "k" });
  await client.as(first).agents.whoAmI();
  const second = await client.agents.register({ ownKey: "k" });
  await assert.rejects(client.as(first).agents.whoAmI(), refusedWith("agent_unknown"));
  await client.as(second).agents.whoAmI();
  await client.as(second).agents.whoAmI();
  await assert.rejects(client.as({ ...second, secret: "hf_wrong" }).agents.whoAmI(), refusedWith("agent_unknown"));
});
