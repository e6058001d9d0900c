import assert from "node:assert/strict";
import { test } from "node:test";
import { type JetStreamManager, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { createRuntime } from "holdfast";
import { coversSubject } from "../../server/src/doors/nats/streams.ts";
import { readServerVersion, versionError, versionWarnings } from "../../server/src/doors/nats/server-version.ts";
import { MeshAgent } from "./mesh-client.ts";
import { startMeshNode } from "./mesh-node.ts";
import { type PrivateNats, startNats } from "./private-nats.ts";

async function withManager(work: (nats: PrivateNats, agent: MeshAgent, jsm: JetStreamManager) => Promise<void>) {
  await using nats = await startNats();
  await using agent = await MeshAgent.connect(nats.url);
  await work(nats, agent, await jetstreamManager(agent.nc, { checkAPI: false }));
}

const refuses = (url: string, pattern: RegExp): Promise<void> =>
  assert.rejects(createRuntime({ journal: { memory: true }, nats: { servers: [url] } }), (error: Error) => {
    assert.equal(error.name, "StartError");
    assert.match(error.message, pattern);
    return true;
  });

test("existing streams and an existing consumer are used and never changed [M11]", () =>
  withManager(async (nats, agent, jsm) => {
    await jsm.streams.add({ name: "COMMANDS", subjects: ["cmd.>", "other.>"], max_msgs: 500 });
    await jsm.streams.add({ name: "EVENTS", subjects: ["evt.>"], max_msgs: 7_000 });
    await jsm.consumers.add("COMMANDS", {
      ...{ durable_name: "holdfast", ack_policy: "explicit", filter_subject: "cmd.>", max_ack_pending: 3 },
    });
    const before = await Promise.all([jsm.streams.info("COMMANDS"), jsm.streams.info("EVENTS")]);
    await using node = await startMeshNode(nats.url);
    await agent.command("cmd.plan.create", { entity_id: "1", value: {} });
    await agent.eventsUntil("evt.plan.created");
    const after = await Promise.all([jsm.streams.info("COMMANDS"), jsm.streams.info("EVENTS")]);
    assert.deepEqual(
      after.map(({ config }) => config),
      before.map(({ config }) => config),
    );
    assert.equal((await jsm.consumers.info("COMMANDS", "holdfast")).config.max_ack_pending, 3);
    assert.match(node.reports.join("\n"), /COMMANDS drops its oldest messages/u);
    assert.match(node.reports.join("\n"), /COMMANDS keeps commands after they are done, .*tokens/u);
    const names: string[] = [];
    for await (const name of jsm.streams.names()) names.push(name);
    assert.deepEqual(names.toSorted(), ["COMMANDS", "EVENTS", "HOLDFAST_PARKED"]);
  }));

test("a runtime refuses unusable streams and consumers at its start, with the reason and what to do [M11 M13]", () =>
  withManager(async ({ url }, _agent, jsm) => {
    const unusable: readonly [Parameters<typeof jsm.streams.add>[0], RegExp][] = [
      [{ name: "A", subjects: ["cmd.lock.*"] }, /A captures parts of cmd\.>/u],
      [{ name: "A", subjects: ["evt.>"], max_age: 60e9 }, /max_bytes or max_msgs/u],
      [{ name: "A", subjects: ["evt.>"], retention: RetentionPolicy.Interest }, /retention interest/u],
      [{ name: "A", subjects: ["cmd.>", "evt.>"] }, /use a separate stream for events/u],
      [{ name: "A", subjects: ["req.>"] }, /remove these subjects/u],
      [{ name: "A", subjects: ["cmd.>"], no_ack: true }, /does not acknowledge/u],
    ];
    for (const [config, pattern] of unusable) {
      for await (const name of jsm.streams.names()) await jsm.streams.delete(name);
      await jsm.streams.add(config);
      await refuses(url, pattern);
    }
    for await (const name of jsm.streams.names()) await jsm.streams.delete(name);
    await jsm.streams.add({ name: "A", subjects: ["cmd.>"] });
    await jsm.consumers.add("A", { durable_name: "holdfast", ack_policy: "explicit", max_deliver: 3 });
    await refuses(url, /has max_deliver/u);
  }));

test("a runtime refuses a NATS address with a password, another protocol, the operator as principal and a missing credentials file [M13 M14]", async () => {
  const memory = { journal: { memory: true } } as const;
  const start = (nats: object) => createRuntime({ ...memory, nats: { servers: ["nats://127.0.0.1:1"], ...nats } });
  await assert.rejects(start({ servers: ["nats://ann:secret@127.0.0.1:1"] }), (error: Error) => {
    assert.match(error.message, /contains credentials/u);
    assert.doesNotMatch(error.message, /secret@|ann:/u);
    return true;
  });
  await assert.rejects(start({ servers: ["http://127.0.0.1:1"] }), /must be like nats:/u);
  await assert.rejects(start({ principal: "operator" }), /cannot be "operator"/u);
  await assert.rejects(start({ credsFile: "/nowhere" }), /cannot read the NATS credentials in \/nowhere \(ENOENT\)/u);
});

test("a runtime starts without a nats-server and connects as soon as the nats-server starts [M13]", async () => {
  await using nats = await startNats();
  await nats.kill();
  await using node = await startMeshNode(nats.url);
  assert.equal(node.door.status().ready, false);
  assert.match(node.door.status().reasons.join(), /connection/u);
  await nats.start();
  await using agent = await MeshAgent.connect(nats.url);
  const answer = await agent.js.publish("cmd.plan.create", "{}", { retries: 200 }).catch(() => undefined);
  while (!node.door.status().ready) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(node.door.status().server_version, "2.9.10".length > 0 ? agent.nc.info?.version : "");
  assert.ok(answer === undefined || answer.seq > 0);
  assert.match(node.notices.join("\n"), /connected to nats-server \d+\.\d+\.\d+; limits of this version/u);
});

test("the door knows the limits of each version of the nats-server [M13]", () => {
  const about = (text: string): string => versionWarnings(readServerVersion(text)).join("\n");
  assert.match(about("2.9.10"), /several writers can succeed/u);
  assert.match(about("2.9.10"), /before 2\.10 cannot change that/u);
  assert.doesNotMatch(about("2.9.21"), /several writers can succeed/u);
  assert.match(about("2.11.4"), /sync_interval/u);
  assert.match(versionError(readServerVersion("2.8.4")) ?? "", /too old/u);
  assert.equal(versionError(readServerVersion("2.9.0")), undefined);
  assert.equal(versionError(readServerVersion("v3.0.0-beta.1")), undefined);
});

test("one subject pattern covers another if it matches each subject of the other", () => {
  const covering: readonly [string, string][] = [
    ["cmd.>", "cmd.>"],
    [">", "cmd.>"],
    ["cmd.*.*", "cmd.lock.*"],
    ["*.lock.acquire", "cmd.lock.acquire"],
  ];
  const notCovering: readonly [string, string][] = [
    ["cmd.*", "cmd.>"],
    ["cmd.lock.*", "cmd.>"],
    ["cmd.>", "cmd"],
    ["cmd.*.x", "cmd.a"],
    ["evt.>", "cmd.>"],
  ];
  for (const [wide, narrow] of covering) assert.ok(coversSubject(wide, narrow), `${wide} ${narrow}`);
  for (const [wide, narrow] of notCovering) assert.ok(!coversSubject(wide, narrow), `${wide} ${narrow}`);
});
