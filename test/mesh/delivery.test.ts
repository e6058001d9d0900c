import assert from "node:assert/strict";
import { test } from "node:test";
import { jetstreamManager } from "@nats-io/jetstream";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { startEngine } from "../../server/src/assembly/open.ts";
import { StagedJournal } from "../engine/staged-journal.ts";
import { MeshAgent, type MeshMessage } from "./mesh-client.ts";
import { originals, positionOf, scoped, startMeshNode } from "./mesh-node.ts";
import { startNats } from "./private-nats.ts";

const isSorted = (positions: readonly string[]): boolean => {
  const numbers = positions.map((position) => position.split(".").map(Number));
  return numbers.every((number, at) => at === 0 || compare(numbers[at - 1]!, number) < 0);
};
const compare = (a: readonly number[], b: readonly number[]): number =>
  a.map((part, at) => part - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;

/** The positions of all events of the journal. */
async function positionsIn(engine: Awaited<ReturnType<typeof startEngine>>): Promise<readonly string[]> {
  const all = await engine.entriesAt(Array.from({ length: engine.head.position }, (_, at) => at + 1));
  return all.flatMap(({ position, events }) => events.map((_, index) => `1.${position}.${index}`));
}

/** Publishes the event of one command by a node, and stops that node. */
async function publishOnce(
  url: string,
  engine: Awaited<ReturnType<typeof startEngine>>,
  agent: MeshAgent,
): Promise<void> {
  await using _node = await startMeshNode(url, { engine });
  await agent.command("cmd.plan.create", { entity_id: "1", value: {} });
  await agent.eventsUntil("evt.plan.created");
}

test("an unreadable command is answered, delivered five times, and then parked without its secrets [M11]", async () => {
  await using nats = await startNats();
  await using node = await startMeshNode(nats.url);
  await using agent = await MeshAgent.connect(nats.url);
  const parked = agent.nc.subscribe("parked.>", { max: 3 });
  await agent.nc.flush();
  const bad: readonly [string, string][] = [
    ["cmd.plan.create", "{not json"],
    ["cmd.plan.burn", "{}"],
    ["cmd.plan.create", '{"entity_id":"1","value":{},"value":{}}'],
  ];
  for (const [subject, payload] of bad) {
    const answer = await agent.command(subject, payload, { "Holdfast-Token": "secret", "X-Mine": "kept" });
    assert.match(answer.headers["Holdfast-Problem"] ?? "", /^(input_malformed|operation_unknown)$/u);
  }
  const found: { subject: string; text: string; kept: string; code: string; token: string }[] = [];
  for await (const { subject, data, headers } of parked) {
    const [text, code] = [new TextDecoder().decode(data), headers?.get("Holdfast-Parked-For") ?? ""];
    const [kept, token] = [headers?.get("X-Mine") ?? "", headers?.get("Holdfast-Token") ?? ""];
    found.push({ subject, text, code, kept, token });
  }
  const expected = bad.map(([subject, text]) => [`parked.${subject}`, text, "kept", ""].join("|")).toSorted();
  assert.deepEqual(
    found.map(({ subject, text, kept, token }) => [subject, text, kept, token].join("|")).toSorted(),
    expected,
  );
  while (node.door.counters.parked < 3) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(node.door.counters.redeliveries, 12);
  // Unreadable commands do not block later commands.
  assert.equal(
    (await agent.command("cmd.plan.create", { entity_id: "1", value: {} })).headers["Holdfast-Problem"],
    undefined,
  );
});

test("a command is redelivered until the journal accepts it, and takes effect once [M11]", async () => {
  await using nats = await startNats();
  const journal = new StagedJournal(openMemoryJournal(createMemoryDisk()));
  await using running = scoped(await startEngine({ journal, report: () => undefined }));
  const { engine } = running;
  await using node = await startMeshNode(nats.url, { engine });
  await using agent = await MeshAgent.connect(nats.url);
  const refusedOften = Promise.withResolvers<undefined>();
  journal.failureOf = () => {
    if (node.door.counters.redeliveries === 6) refusedOften.resolve(undefined);
    return { isWritten: false, certain: true, code: "full" };
  };
  const answer = agent.command("cmd.plan.create", { entity_id: "1", value: {} });
  await refusedOften.promise;
  journal.failureOf = () => undefined;
  assert.equal((await answer).headers["Holdfast-Event"], "evt.plan.created");
  const events = await agent.eventsUntil("evt.plan.created");
  assert.equal(originals(events).length, 1);
  assert.equal(node.door.counters.parked, 0);
});

test("a nats-server that is killed repeatedly loses no command and no event, and no event is published twice [M11]", async () => {
  await using nats = await startNats();
  await using node = await startMeshNode(nats.url);
  await using agent = await MeshAgent.connect(nats.url);
  const requestUntilAnswered = async (n: number): Promise<MeshMessage> => {
    const payload = { entity_id: String(n), value: { n }, idempotency_key: `create ${String(n)}` };
    for (;;) {
      try {
        return await agent.request("req.plan.create", payload, {}, 300);
      } catch {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
  let createdCount = 0;
  for (let round = 0; round < 4; round += 1) {
    const some = Array.from({ length: 30 }, () => requestUntilAnswered(createdCount++));
    await some[0];
    await nats.kill();
    // The journal accepts commands during the outage.
    await node.engine.execute({
      ...{ operation: "create-entity", principal: "local", caller: "test", bytes: 0 },
      input: { type: "plan", id: `away ${String(round)}`, value: {} },
    });
    while (node.door.status().ready) await new Promise((resolve) => setImmediate(resolve));
    await nats.start();
    await agent.connected();
    await Promise.all(some);
  }
  const expected = await positionsIn(node.engine);
  const events = await agent.events((all) => originals(all).length >= expected.length);
  assert.deepEqual(originals(events).map(positionOf), expected);
  assert.ok(isSorted(expected));
});

test("several runtimes share commands and publishing, and the others continue if one stops [M11]", async () => {
  await using nats = await startNats();
  const disk = createMemoryDisk();
  await using running = scoped(await startEngine({ journal: openMemoryJournal(disk), report: () => undefined }));
  const { engine } = running;
  const doors = [
    await startMeshNode(nats.url, { engine }),
    await startMeshNode(nats.url, { engine }),
    await startMeshNode(nats.url, { engine }),
  ];
  await using agent = await MeshAgent.connect(nats.url);
  const create = (n: number) => agent.command("cmd.plan.create", { entity_id: String(n), value: {} });
  await Promise.all(Array.from({ length: 60 }, (_, n) => create(n)));
  assert.ok(doors.filter(({ door }) => door.counters.commands > 0).length >= 2, "only one runtime worked");
  // Stop the runtime that publishes.
  const leader = doors.toSorted((a, b) => b.door.counters.published - a.door.counters.published)[0]!;
  await leader[Symbol.asyncDispose]();
  await Promise.all(Array.from({ length: 60 }, (_, n) => create(100 + n)));
  const expected = await positionsIn(engine);
  const events = await agent.events((all) => originals(all).length >= expected.length);
  assert.deepEqual(originals(events).map(positionOf), expected);
  for (const node of doors) if (node !== leader) await node[Symbol.asyncDispose]();
});

test("publishing continues after the last event in the stream, even if other programs add messages [M11]", async () => {
  await using nats = await startNats();
  await using running = scoped(
    await startEngine({ journal: openMemoryJournal(createMemoryDisk()), report: () => undefined }),
  );
  const { engine } = running;
  await using agent = await MeshAgent.connect(nats.url);
  await publishOnce(nats.url, engine, agent);
  await agent.send("evt.elsewhere.happened", { mine: true });
  await agent.send("cmd.plan.create", { entity_id: "2", value: {} });
  await using _second = await startMeshNode(nats.url, { engine });
  await agent.send("evt.elsewhere.happened", { mine: true });
  await agent.command("cmd.plan.create", { entity_id: "3", value: {} });
  const ours = (all: readonly MeshMessage[]) => all.filter(({ subject }) => subject === "evt.plan.created");
  const events = ours(await agent.events((all) => ours(all).length === 3));
  assert.deepEqual(
    events.map(({ data }) => data["entity_id"]),
    ["1", "2", "3"],
  );
});

test("an event above the maximum message size is published without its value, and later events follow [M11]", async () => {
  await using nats = await startNats();
  await using node = await startMeshNode(nats.url);
  await using agent = await MeshAgent.connect(nats.url);
  const value = { text: "x".repeat(1_045_000) };
  const input = { type: "plan", id: "big", value };
  await node.engine.execute({ operation: "create-entity", input, principal: "local", caller: "test", bytes: 0 });
  await agent.command("cmd.plan.create", { entity_id: "small", value: {} });
  const ours = (all: readonly MeshMessage[]) => all.filter(({ subject }) => subject === "evt.plan.created");
  const [big, small] = ours(await agent.events((all) => ours(all).length === 2));
  assert.deepEqual(Object.keys(big?.data ?? {}).toSorted(), ["entity_id", "version"]);
  assert.ok(Number(big?.headers["Holdfast-Too-Large"]) > 1_045_000);
  assert.equal(small?.data["entity_id"], "small");
  const read = await agent.request("req.plan.get", { entity_id: "big" });
  assert.ok(Number(read.headers["Holdfast-Too-Large"]) > 1_045_000);
});

test("a purged event stream stops publishing until an operator sets nats_publish_after [M11]", async () => {
  await using nats = await startNats();
  await using running = scoped(
    await startEngine({ journal: openMemoryJournal(createMemoryDisk()), report: () => undefined }),
  );
  const { engine } = running;
  await using agent = await MeshAgent.connect(nats.url);
  await publishOnce(nats.url, engine, agent);
  const jsm = await jetstreamManager(agent.nc, { checkAPI: false });
  await jsm.streams.purge("HOLDFAST_EVENTS");
  const lost = await startMeshNode(nats.url, { engine });
  while (lost.reports.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.match(lost.reports[0] ?? "", /nats_publish_after/u);
  assert.equal(lost.door.status().ready, false);
  await lost[Symbol.asyncDispose]();
  const events = agent.nc.subscribe("evt.plan.created", { max: 1 });
  await agent.nc.flush();
  await using _continued = await startMeshNode(nats.url, { engine, publishAfter: 1 });
  await agent.command("cmd.plan.create", { entity_id: "2", value: {} });
  for await (const message of events) assert.equal(message.json<{ entity_id: string }>().entity_id, "2");
});

test("repeated events and messages of other programs do not hide the position where publishing starts [M4 M11]", async () => {
  await using nats = await startNats();
  await using running = scoped(
    await startEngine({ journal: openMemoryJournal(createMemoryDisk()), report: () => undefined }),
  );
  const { engine } = running;
  const request = { ...{ operation: "create-entity", principal: "mesh", caller: "test", bytes: 0 }, key: "k" };
  await engine.execute({ ...request, input: { type: "plan", id: "1", value: {} } });
  await using agent = await MeshAgent.connect(nats.url);
  const jsm = await jetstreamManager(agent.nc, { checkAPI: false });
  await jsm.streams.add({ name: "EVENTS", subjects: ["evt.>"] });
  await agent.send("evt.elsewhere.happened", {});
  // A runtime that answered a repeated command and stopped before it published an event leaves this message.
  await agent.send("evt.plan.created", { entity_id: "1" }, { "Holdfast-Replayed": "true", "Holdfast-Position": "1" });
  await using node = await startMeshNode(nats.url, { engine });
  const events = await agent.events((all) => all.length === 3);
  assert.equal(positionOf(events[2]!), "1.1.0");
  assert.deepEqual(node.reports, []);
});
