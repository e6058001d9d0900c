/** The rights that the documents give to users of a nats-server, on a real nats-server with exactly these rights. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { createInbox, type NatsConnection } from "@nats-io/transport-node";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { inEmptyFolder } from "../scenario/program.ts";
import { root } from "../tidy/tree.ts";
import { MeshAgent } from "./mesh-client.ts";
import { type MeshNode, scoped, startMeshNode } from "./mesh-node.ts";
import { type PrivateNats, startNats } from "./private-nats.ts";

const pass = "of-this-test-only";
const page = readFileSync(join(root, "docs", "operating", "nats.md"), "utf8");

/** The first block of a language on the page. */
function block(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]+?)^\`\`\`$`, "mu").exec(page) ?? [];
  assert.ok(text !== undefined, `no ${language} block in docs/operating/nats.md`);
  return text;
}

async function startDocumented(folder: string): Promise<PrivateNats> {
  const file = join(folder, "nats-server.conf");
  const text = block("text");
  assert.equal([...text.matchAll(/password: \$[A-Z_]+/gu)].length, 4);
  writeFileSync(file, text.replaceAll(/password: \$[A-Z_]+/gu, `password: "${pass}"`));
  return startNats(["-c", file]);
}

const settings = JSON.parse(block("json")) as { nats_user: string; nats_reply_prefixes: readonly string[] };

const documented = { user: settings.nats_user, password: pass, replyPrefixes: settings.nats_reply_prefixes };

/** A user that records what the nats-server refuses. */
async function connectAs(
  url: string,
  user: string,
): Promise<{ nc: NatsConnection; agent: MeshAgent; refused: string[] }> {
  const agent = await MeshAgent.connect(url, { user, pass, inboxPrefix: `_INBOX.${user}` });
  const refused: string[] = [];
  void (async () => {
    for await (const status of agent.nc.status()) if (status.type === "error") refused.push(status.error.message);
  })();
  return { nc: agent.nc, agent, refused };
}

async function countsOf(jsm: JetStreamManager): Promise<readonly number[]> {
  const infos = ["HOLDFAST_EVENTS", "HOLDFAST_PARKED"].map((name) => jsm.streams.info(name));
  return (await Promise.all(infos)).map(({ state }) => state.messages);
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}

test(
  "requests, durable commands, events, parked commands and erasure work with exactly the documented NATS rights [M11 X14]",
  inEmptyFolder(async (folder) => {
    await using nats = await startDocumented(folder);
    await using running = scoped(
      await startEngine({ journal: openMemoryJournal(createMemoryDisk()), report: () => undefined }),
    );
    const { engine } = running;
    const { agent: ann, ...annUser } = await connectAs(nats.url, "ann");
    await using _ann = ann;
    const { agent: billing } = await connectAs(nats.url, "billing");
    await using _billing = billing;
    const { agent: admin } = await connectAs(nats.url, "admin");
    await using _admin = admin;
    const jsm = await jetstreamManager(admin.nc, { checkAPI: false });
    const events: string[] = [];
    billing.nc.subscribe("evt.>", { callback: (_, { subject }) => void events.push(subject) });
    await billing.nc.flush();
    const check = async (node: MeshNode, id: string): Promise<void> => {
      const created = await ann.request("req.person.create", { entity_id: id, value: { name: "a secret" } });
      const position = Number(created.headers["Holdfast-Position"]);
      const answers = ann.nc.subscribe(`answers.ann.${id}`, { max: 1 });
      await ann.send("cmd.person.replace", { entity_id: id, value: {} }, { "Holdfast-Reply-To": `answers.ann.${id}` });
      for await (const answer of answers) assert.equal(answer.headers?.get("Holdfast-Event"), "evt.person.changed");
      await ann.send("cmd.person.burn", {});
      await until(() => node.door.counters.parked === 1);
      const operator = clientOf(servicesOf(engine), { principal: "operator", client: { retry: false } });
      await operator.run("erase-payload", { position, reason: "asked for" });
      await until(() => events.at(-1) === "evt.payload.erased");
      assert.deepEqual(node.reports, []);
    };
    for (const id of ["1", "2"]) {
      // The second start finds its streams and its consumer.
      await using node = await startMeshNode(nats.url, { engine, ...documented });
      await check(node, id);
    }
    const each = ["evt.person.created", "evt.person.changed", "evt.payload.erased"];
    assert.deepEqual(events, [...each, ...each]);
    assert.deepEqual(await countsOf(jsm), [4, 2], "the two erased messages are gone");
    assert.deepEqual(annUser.refused, []);
  }),
);

test(
  "an agent with the documented NATS rights cannot purge a stream, write events, or read parked commands and the inboxes of others [X14]",
  inEmptyFolder(async (folder) => {
    await using nats = await startDocumented(folder);
    await using node = await startMeshNode(nats.url, documented);
    const ann = await connectAs(nats.url, "ann");
    await using _ann = ann.agent;
    const billing = await connectAs(nats.url, "billing");
    await using _billing = billing.agent;
    const { agent: admin } = await connectAs(nats.url, "admin");
    await using _admin = admin;
    const jsm = await jetstreamManager(admin.nc, { checkAPI: false });
    const seen: string[] = [];
    const record = (_: Error | null, { subject }: { readonly subject: string }): void => void seen.push(subject);
    await ann.agent.request("req.plan.create", { entity_id: "1", value: {} });
    await ann.agent.send("cmd.plan.burn", {});
    await until(async () => (await countsOf(jsm)).join() === "1,1");
    billing.nc.subscribe("evt.>", { callback: record });
    for (const subject of ["orders.>", "evt.>", "parked.>"]) admin.nc.subscribe(subject, { callback: record });
    await Promise.all([billing.nc.flush(), admin.nc.flush()]);

    const purges = ["HOLDFAST_EVENTS", "HOLDFAST_PARKED", "HOLDFAST_COMMANDS"].map(
      (name) => `$JS.API.STREAM.PURGE.${name}`,
    );
    const foreign = [...purges, "evt.lock.acquired", "parked.cmd.plan.create", "orders.create", "_HOLDFAST_INBOX.x"];
    for (const subject of foreign) {
      ann.nc.publish(subject, "{}");
      billing.nc.publish(subject, "{}");
      // With the rights of the nats-server, which acknowledges commands, and of Holdfast, which answers requests.
      for (const reply of [subject, createInbox("_INBOX.bob")]) {
        ann.nc.publish("cmd.plan.get", '{"entity_id":"1"}', { reply });
        ann.nc.publish("req.plan.get", '{"entity_id":"1"}', { reply });
      }
    }
    for (const subject of [
      ">",
      "parked.>",
      "evt.>",
      "cmd.>",
      "_INBOX.>",
      "_INBOX.bob.>",
      "answers.>",
      "_HOLDFAST_INBOX.>",
      "_R_.>",
    ])
      ann.nc.subscribe(subject, { callback: () => undefined });
    for (const subject of [">", "parked.>", "cmd.>", "req.>", "_INBOX.>", "answers.>"])
      billing.nc.subscribe(subject, { callback: () => undefined });
    const { commands } = node.door.counters;
    await ann.nc.flush();
    await billing.nc.flush();
    await until(() => node.door.counters.commands >= commands + 2 * foreign.length);
    await ann.agent.request("req.plan.get", { entity_id: "1" });
    await until(() => ann.refused.length >= foreign.length + 9 && billing.refused.length >= foreign.length + 6);
    await Promise.all([billing.nc.flush(), admin.nc.flush()]);
    assert.deepEqual(await countsOf(jsm), [1, 1]);
    assert.deepEqual(seen, []);
    assert.deepEqual(node.reports, []);
    assert.equal(ann.refused.length, foreign.length + 9, ann.refused.join("\n"));
    assert.equal(billing.refused.length, foreign.length + 6, billing.refused.join("\n"));
  }),
);
