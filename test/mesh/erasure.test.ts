/** An erased payload is removed from the event stream too, or the erasure is not finished. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { type Client, createRuntime } from "holdfast";
import { eraseEntry } from "../../server/src/assembly/upkeep.ts";
import { type Clock, systemClock } from "../../server/src/base/clock.ts";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import { createMemoryDisk, type MemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { ManualClock } from "../engine/manual-clock.ts";
import { singleNode, StagedJournal } from "../engine/staged-journal.ts";
import { inEmptyFolder } from "../scenario/program.ts";
import { MeshAgent } from "./mesh-client.ts";
import { scoped, startMeshNode } from "./mesh-node.ts";
import { startNats } from "./private-nats.ts";

const secret = "a secret name";

/** An engine on a disk that other nodes may share. */
async function startSharing(disk: MemoryDisk, clock: Clock = systemClock): Promise<ReturnType<typeof scoped>> {
  const journal = new StagedJournal(openMemoryJournal(disk));
  const done = (): Promise<void> => Promise.resolve();
  journal.coordination = {
    ...singleNode,
    takeTurn: done,
    endTurn: done,
    findKeysInMemory: () => undefined,
    rank: () => 0,
  };
  return scoped(await startEngine({ journal, clock, report: () => undefined }));
}

const operatorOf = (engine: Engine): Client =>
  clientOf(servicesOf(engine), { principal: "operator", client: { retry: false } });

const erase = (client: Client, position: number): Promise<unknown> =>
  client.run("erase-payload", { position, reason: "asked for" });

/** Creates a person with a secret and replaces it. Returns the position of the secret. */
async function writeSecret({ entities }: Client, id = "1"): Promise<number> {
  const { position } = await entities.create("person", id, { name: secret });
  await entities.replace("person", id, {});
  return position;
}

/** Moves time until a call is settled, and lets the nats-server work in between. */
async function passUntil(clock: ManualClock, { nc }: MeshAgent, call: Promise<unknown>): Promise<void> {
  const settled = new AbortController();
  const settle = (): void => {
    settled.abort();
  };
  call.then(settle, settle);
  while (!settled.signal.aborted) {
    await clock.pass(10);
    await nc.flush();
  }
  await call;
}

async function managerOf(agent: MeshAgent): Promise<JetStreamManager> {
  return jetstreamManager(agent.nc, { checkAPI: false });
}

/** The messages in the stream, as subject, position and whether they contain the secret. */
async function inStream(jsm: JetStreamManager, name = "HOLDFAST_EVENTS"): Promise<readonly string[]> {
  const { first_seq: first, last_seq: last } = (await jsm.streams.info(name)).state;
  const found: string[] = [];
  for (let seq = first; seq <= last; seq += 1) {
    const message = await jsm.streams.getMessage(name, { seq });
    if (message === null) continue;
    const text = new TextDecoder().decode(message.data);
    const [position, mark] = [message.header.get("Holdfast-Position"), text.includes(secret) ? " secret" : ""];
    found.push(`${message.subject} ${position}${mark}`);
  }
  return found;
}

const erased = ["evt.person.changed 2", "evt.payload.erased 3"];

test("an erasure is answered after the payload is removed from the event stream, and publishing continues [X1 X14]", async () => {
  await using nats = await startNats();
  await using running = scoped(
    await startEngine({ journal: openMemoryJournal(createMemoryDisk()), report: () => undefined }),
  );
  await using agent = await MeshAgent.connect(nats.url);
  const client = operatorOf(running.engine);
  const jsm = await managerOf(agent);
  {
    await using node = await startMeshNode(nats.url, { engine: running.engine });
    assert.equal(await writeSecret(client), 1);
    await agent.eventsUntil("evt.person.changed");
    assert.deepEqual(await inStream(jsm), ["evt.person.created 1 secret", "evt.person.changed 2"]);
    await erase(client, 1);
    assert.deepEqual(await inStream(jsm), erased);
    assert.deepEqual(node.reports, []);
    const consumers = await jsm.consumers.list("HOLDFAST_EVENTS").next();
    assert.deepEqual(consumers, [], "the consumer that read the stream is deleted");
  }
  // The first message is gone, which is no reason to ask for nats_publish_after.
  await using node = await startMeshNode(nats.url, { engine: running.engine });
  await client.entities.create("person", "2", {});
  while ((await inStream(jsm)).length < 3) await agent.nc.flush();
  assert.deepEqual(await inStream(jsm), [...erased, "evt.person.created 4"]);
  assert.deepEqual(node.reports, []);
});

test("an erasure is unfinished while the nats-server is down, and is finished by itself and for a retry when it is back [X1 X14]", async () => {
  await using nats = await startNats();
  await using node = await startMeshNode(nats.url);
  await using agent = await MeshAgent.connect(nats.url);
  const client = operatorOf(node.engine);
  await writeSecret(client);
  await agent.eventsUntil("evt.person.changed");
  await nats.kill();
  while (node.door.status().ready) await new Promise((resolve) => setImmediate(resolve));
  const refused = await refusalOf(erase(client, 1));
  assert.deepEqual([refused.code, refused.data["remains"]], ["erasure_unfinished", "event_stream"]);
  assert.match(String(refused.data["reason"]), /the event stream may still contain the payload/u);
  assert.equal((await refusalOf(client.entities.get("person", "1", { version: 1 }))).code, "entry_erased");
  await nats.start();
  await agent.connected();
  const jsm = await managerOf(agent);
  while ((await inStream(jsm).catch(() => [])).join() !== erased.join()) await agent.nc.flush();
  assert.deepEqual(await erase(client, 1), { position: 1, erased_by: 3 });
});

test("an erasure at a node without NATS is answered after a node with NATS has removed the payload [X1 X7 X14]", async () => {
  await using nats = await startNats();
  const disk = createMemoryDisk();
  await using connected = await startSharing(disk);
  const clock = new ManualClock();
  await using alone = await startSharing(disk, clock);
  await using agent = await MeshAgent.connect(nats.url);
  const jsm = await managerOf(agent);
  const client = operatorOf(alone.engine);
  {
    await using _node = await startMeshNode(nats.url, { engine: connected.engine });
    await writeSecret(client);
    await writeSecret(client, "2");
    await agent.events((all) => all.length === 4);
    // The clock does not move until the payload is gone, so the node without NATS cannot stop waiting before.
    const erasing = erase(client, 1);
    while ((await inStream(jsm)).join().includes("created 1")) await agent.nc.flush();
    await passUntil(clock, agent, erasing);
    assert.equal((await inStream(jsm))[1], "evt.person.created 3 secret", "only the erased payload is removed");
  }
  const refusing = refusalOf(erase(client, 3));
  await passUntil(clock, agent, refusing);
  assert.equal((await refusing).data["remains"], "event_stream");
  await using _node = await startMeshNode(nats.url, { engine: connected.engine });
  while ((await inStream(jsm)).join().includes(" secret")) await agent.nc.flush();
  const retrying = erase(client, 3);
  await passUntil(clock, agent, retrying);
  assert.equal((await inStream(jsm)).length, 4);
});

test("each of several nodes with NATS finishes the erasures of its callers, whichever of them publishes [X1 X7 X14]", async () => {
  await using nats = await startNats();
  const disk = createMemoryDisk();
  await using one = await startSharing(disk);
  await using other = await startSharing(disk);
  await using agent = await MeshAgent.connect(nats.url);
  const jsm = await managerOf(agent);
  await using _one = await startMeshNode(nats.url, { engine: one.engine });
  await using _other = await startMeshNode(nats.url, { engine: other.engine });
  const clients = [operatorOf(one.engine), operatorOf(other.engine)];
  for (const [index, client] of clients.entries()) {
    const position = await writeSecret(client, String(index));
    await erase(client, position);
    assert.ok(!(await inStream(jsm)).join().includes(" secret"), `the payload of node ${String(index)} remains`);
  }
  assert.equal((await inStream(jsm)).length, 4);
});

test("events that were published again are removed too, and an erased event is never published again [M4 X1 X14]", async () => {
  await using nats = await startNats();
  await using node = await startMeshNode(nats.url);
  await using agent = await MeshAgent.connect(nats.url);
  const jsm = await managerOf(agent);
  const create = { entity_id: "1", value: { name: secret }, idempotency_key: "k" };
  for (let count = 0; count < 2; count += 1) await agent.request("req.person.create", create);
  while ((await inStream(jsm)).length < 2) await agent.nc.flush();
  assert.deepEqual(await inStream(jsm), ["evt.person.created 1 secret", "evt.person.created 1 secret"]);
  const client = operatorOf(node.engine);
  await client.entities.replace("person", "1", {});
  await erase(client, 1);
  const again = await agent.request("req.person.create", create);
  assert.equal(again.headers["Holdfast-Problem"], "entry_erased");
  assert.deepEqual(await inStream(jsm), erased);
});

test("an erasure in a purged event stream finishes once nats_publish_after is set, also behind the erasure [X1 X14]", async () => {
  await using nats = await startNats();
  await using running = scoped(
    await startEngine({ journal: openMemoryJournal(createMemoryDisk()), report: () => undefined }),
  );
  const { engine } = running;
  await using agent = await MeshAgent.connect(nats.url);
  const jsm = await managerOf(agent);
  const client = operatorOf(engine);
  {
    await using _node = await startMeshNode(nats.url, { engine });
    await writeSecret(client);
    await agent.eventsUntil("evt.person.changed");
  }
  await jsm.streams.purge("HOLDFAST_EVENTS");
  {
    await using node = await startMeshNode(nats.url, { engine });
    while (node.reports.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(erase(client, 1), refusedWith("erasure_unfinished"));
  }
  await using _node = await startMeshNode(nats.url, { engine, publishAfter: 3 });
  await erase(client, 1);
  assert.deepEqual(await inStream(jsm), []);
});

test("an erasure leaves messages of other positions, other epochs and other programs in the event stream [X1]", async () => {
  await using nats = await startNats();
  await using agent = await MeshAgent.connect(nats.url);
  const jsm = await managerOf(agent);
  await jsm.streams.add({ name: "EVENTS", subjects: ["evt.>"] });
  const lost = { "Holdfast-Position": "1", "Holdfast-Epoch": "7" };
  await agent.send("evt.person.created", {}, lost);
  await agent.send("evt.elsewhere.happened", {});
  await using node = await startMeshNode(nats.url);
  const client = operatorOf(node.engine);
  await writeSecret(client);
  await erase(client, 1);
  assert.deepEqual(await inStream(jsm, "EVENTS"), ["evt.person.created 1", "evt.elsewhere.happened ", ...erased]);
});

test("a payload that returns with a restored event stream is removed again [X1 X14]", async () => {
  await using nats = await startNats();
  await using running = scoped(
    await startEngine({ journal: openMemoryJournal(createMemoryDisk()), report: () => undefined }),
  );
  const { engine } = running;
  await using agent = await MeshAgent.connect(nats.url);
  const jsm = await managerOf(agent);
  {
    await using _node = await startMeshNode(nats.url, { engine });
    const client = operatorOf(engine);
    await writeSecret(client);
    await erase(client, 1);
  }
  await jsm.streams.delete("HOLDFAST_EVENTS");
  await jsm.streams.add({ name: "EVENTS", subjects: ["evt.>"] });
  const restored = { "Holdfast-Position": "1", "Holdfast-Epoch": "1", "Holdfast-Published": "1.1.0" };
  await agent.send("evt.person.created", { name: secret }, restored);
  await using _node = await startMeshNode(nats.url, { engine });
  while ((await inStream(jsm, "EVENTS")).join() !== erased.join()) await agent.nc.flush();
});

test("an event stream whose messages cannot be deleted is refused at the start [X14]", async () => {
  await using nats = await startNats();
  await using agent = await MeshAgent.connect(nats.url);
  await (await managerOf(agent)).streams.add({ name: "EVENTS", subjects: ["evt.>"], deny_delete: true });
  await assert.rejects(startMeshNode(nats.url), /EVENTS has deny_delete, so an erased payload cannot be removed/u);
});

test(
  "holdfast erase on a stopped server reports the event stream as unfinished, and the next start removes the payload there [X1 X14]",
  inEmptyFolder(async (folder) => {
    await using nats = await startNats();
    await using agent = await MeshAgent.connect(nats.url);
    const up = { journal: folder, nats: { servers: [nats.url] }, report: () => undefined };
    const first = await createRuntime(up);
    const position = await writeSecret(first.client);
    await agent.eventsUntil("evt.person.changed");
    await first.close();
    // As the command does it, in a process without NATS.
    const eraseOffline = (): Promise<unknown> =>
      eraseEntry(folder, { position, reason: "asked for" }, { report: () => undefined });
    const { code, message } = await refusalOf(eraseOffline());
    assert.equal(code, "erasure_unfinished");
    assert.match(
      message,
      /the event stream may still contain the payload, .* a node with the setting nats removes it/u,
    );
    const second = await createRuntime(up);
    const jsm = await managerOf(agent);
    while ((await inStream(jsm)).join().includes(" secret")) await agent.nc.flush();
    // The mark of completed erasures is stored after the removal. The answer of a repeated request follows the mark.
    await erase(second.client, position);
    await second.close();
    assert.deepEqual(await eraseOffline(), { position, erased_by: position + 2 });
  }),
);
