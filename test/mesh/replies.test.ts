import assert from "node:assert/strict";
import { test } from "node:test";
import { jetstreamManager } from "@nats-io/jetstream";
import { createRuntime } from "holdfast";
import { plaintextWarning } from "../../server/src/doors/nats/connect-nats.ts";
import { DroppedRequests } from "../../server/src/doors/nats/dropped-requests.ts";
import { ReplyAddresses } from "../../server/src/doors/nats/reply-addresses.ts";
import { ManualClock } from "../engine/manual-clock.ts";
import { MeshAgent } from "./mesh-client.ts";
import { startMeshNode } from "./mesh-node.ts";
import { startNats } from "./private-nats.ts";

const streams = ["HOLDFAST_EVENTS", "HOLDFAST_COMMANDS", "HOLDFAST_PARKED"];

/** Reply addresses that would use the NATS rights of Holdfast. */
const foreign = [
  ...streams.map((name) => `$JS.API.STREAM.PURGE.${name}`),
  ...["evt.lock.acquired", "cmd.operation.who-am-i", "req.plan.delete", "parked.cmd.plan.create"],
  ...["orders.create", "_INBOX", "_INBOXES.ann", "_inbox.ann", "_HOLDFAST_INBOX.ann"],
];

test("a NATS request whose reply address is not an inbox is dropped, counted and reported, and nothing is published there [X14]", async () => {
  await using nats = await startNats();
  await using node = await startMeshNode(nats.url);
  await using agent = await MeshAgent.connect(nats.url);
  await agent.command("cmd.plan.create", { entity_id: "1", value: {} });
  await agent.eventsUntil("evt.plan.created");
  const jsm = await jetstreamManager(agent.nc, { checkAPI: false });
  const heard: string[] = [];
  for (const subject of [...foreign.filter((one) => !one.startsWith("$")), "$JS.API.STREAM.PURGE.>"])
    agent.nc.subscribe(subject, { callback: (_, message) => void heard.push(message.subject) });
  for (const reply of foreign) agent.nc.publish("req.plan.create", '{"entity_id":"2","value":{}}', { reply });
  const answer = await agent.request("req.plan.get", { entity_id: "2" });
  await agent.nc.flush();
  assert.equal((answer.data["outcome"] as { code?: string }).code, "entity_not_found", "a dropped request is not run");
  assert.deepEqual(heard, []);
  assert.equal((await jsm.streams.info("HOLDFAST_EVENTS")).state.messages, 1);
  assert.deepEqual(
    [node.door.counters.droppedRequests, node.door.counters.requests],
    [foreign.length, foreign.length + 1],
  );
  assert.equal(node.reports.length, 1, node.reports.join("\n"));
  assert.match(node.reports[0] ?? "", /"\$JS\.API\.STREAM\.PURGE\.HOLDFAST_EVENTS".*nats_reply_prefixes/u);
});

test("a durable command is answered only below nats_reply_prefixes, and is parked if its Holdfast-Reply-To is elsewhere [X14]", async () => {
  await using nats = await startNats();
  await using _node = await startMeshNode(nats.url, { replyPrefixes: ["answers.", "_INBOX.ann."] });
  await using agent = await MeshAgent.connect(nats.url);
  const heard: string[] = [];
  for (const subject of ["answers.>", "_INBOX.ann.>", "elsewhere.>", "evt.lock.>"])
    agent.nc.subscribe(subject, { callback: (_, message) => void heard.push(message.subject) });
  const parked = agent.nc.subscribe("parked.>", { max: 2 });
  await agent.nc.flush();
  const create = (id: string, address: string): Promise<number> =>
    agent.send("cmd.plan.create", { entity_id: id, value: {} }, { "Holdfast-Reply-To": address });
  for (const address of ["elsewhere.ann", "evt.lock.acquired"]) await create(address, address);
  for await (const { headers } of parked) assert.equal(headers?.get("Holdfast-Parked-For"), "request_malformed");
  for (const address of ["answers.ann", "_INBOX.ann.1"]) await create(address, address);
  while (heard.length < 2) await agent.nc.flush();
  assert.deepEqual(heard, ["answers.ann", "_INBOX.ann.1"]);
});

test("a reply address is one subject below a prefix, without wildcards and empty tokens [X14]", () => {
  const replies = new ReplyAddresses();
  for (const address of ["_INBOX.a", "_INBOX.a.b-c.1"]) assert.ok(replies.allows(address), address);
  const refused = [
    "",
    "_INBOX",
    "_INBOX.",
    "_INBOX..a",
    "_INBOX.*",
    "_INBOX.>",
    "_INBOX.a b",
    "_INBOX.a\r\nPUB x",
    "x",
  ];
  for (const address of [...refused, ` _INBOX.a`, `_INBOX.${"a".repeat(512)}`, ...foreign])
    assert.ok(!replies.allows(address), address);
});

test("reply prefixes that could reach Holdfast's own subjects or the nats-server are refused at the start [X14]", async () => {
  const refused: readonly (readonly [prefix: string, reason: RegExp])[] = [
    ...["evt.", "cmd.", "req.", "parked.", "evt.inbox.", "_HOLDFAST_INBOX."].map(
      (one) => [one, /own subjects/u] as const,
    ),
    ...["$JS.API.", "_INBOX.$JS."].map((one) => [one, /belong to the nats-server/u] as const),
    ...["_INBOX", ">", "*", "ev"].map((one) => [one, /ends with a dot/u] as const),
    ...[".", "_INBOX..", "*.", "_INBOX.*.", ">.", "a b.", "..a."].map((one) => [one, /no wildcard/u] as const),
  ];
  for (const [prefix, reason] of refused) {
    const nats = { servers: ["nats://127.0.0.1:1"], replyPrefixes: ["_INBOX.", prefix] };
    await assert.rejects(createRuntime({ journal: { memory: true }, nats }), (error: Error) => {
      assert.deepEqual([error.name, reason.test(error.message)], ["StartError", true], error.message);
      assert.ok(error.message.includes(JSON.stringify(prefix)));
      return true;
    });
  }
  const none = { servers: ["nats://127.0.0.1:1"], replyPrefixes: [] };
  await assert.rejects(createRuntime({ journal: { memory: true }, nats: none }), /nats_reply_prefixes is empty/u);
});

test("dropped requests are reported once a minute with their count, and a report shows no long or raw text [X15]", () => {
  const clock = new ManualClock();
  const reports: string[] = [];
  const dropped = new DroppedRequests({ clock, prefixes: ["_INBOX."], report: (message) => reports.push(message) });
  const drop = { subject: "req.a.b", reply: `x\n${"y".repeat(1_000)}` };
  for (let count = 0; count < 1_000; count += 1) dropped.record(drop);
  clock.advance(60_000);
  dropped.record(drop);
  assert.deepEqual(
    reports.map((report) => report.split(" over")[0]),
    ["a request", "1000 requests"],
  );
  assert.ok(reports.every((report) => report.length < 500 && !report.includes("\n")));
});

test("a nats-server on another host without TLS is reported at the start [X14]", async () => {
  const warned = (servers: readonly string[], more: object = {}): boolean =>
    plaintextWarning({ servers, ...more }) !== undefined;
  for (const local of ["nats://127.0.0.1:4", "nats://localhost", "nats://[::1]:4"]) assert.ok(!warned([local]), local);
  for (const host of ["192.0.2.1", "nats.internal", "[2001:db8::1]", "127.0.0.1.nip.io", "0.0.0.0"]) {
    assert.ok(warned(["nats://127.0.0.1", `nats://${host}:4`]), host);
    assert.ok(!warned([`tls://${host}:4`]), host);
    assert.ok(!warned([`nats://${host}:4`], { caFile: "ca.pem" }), host);
  }
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  // 0.0.0.0 is not a loopback address, and connects to this host.
  const runtime = await createRuntime({ journal: { memory: true }, nats: { servers: ["nats://0.0.0.0:1"] }, report });
  await runtime.close();
  assert.match(reports[0] ?? "", /connecting to nats:\/\/0\.0\.0\.0:1 without TLS: .*use tls:\/\/ or nats_ca/u);
});
