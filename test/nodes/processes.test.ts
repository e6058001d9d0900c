import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect, systemClientClock } from "@holdfast/sdk";
import type { Client, ConnectOptions } from "@holdfast/sdk";
import { knownRules } from "../../server/src/assembly/open.ts";
import { refusalOf } from "../api/refused-with.ts";
import { granted, queued } from "../locks/lock-node.ts";
import { run } from "../scenario/holdfast-command.ts";
import { folderFor } from "../socket/with-server.ts";
import { answerProxyFor } from "../intents/answer-proxy.ts";
import { assertRun, donePositions, effectsOf, startRunner } from "../intents/runner-process.ts";
import { newerBuild, type NodeCluster, type NodeProcess, startCluster } from "./node-processes.ts";

/** A client that uses the first of these nodes first. By default the order is random. */
async function clientOf(nodes: readonly NodeProcess[], options: ConnectOptions = {}): Promise<Client> {
  const clock = { ...systemClientClock, random: () => 0 };
  return connect(
    nodes.map(({ url }) => url),
    { clock, ...options },
  );
}

const newest = knownRules.length;

/** Waits until a node has these rules. A node raises them after all nodes have had them for some time. */
async function rulesAreRaised(node: NodeProcess, to: number): Promise<void> {
  await using client = await clientOf([node]);
  for await (const { data } of client.watch({ after: "1.0", names: ["evt.space.rules_raised"] })) {
    if ((data as { readonly rules: number }).rules === to) return;
  }
}

/** Waits until a node is ready and counts all three. After a reconnect each node registers with its next poll. */
async function seesAllNodes(node: NodeProcess): Promise<void> {
  for (;;) {
    const { ready, nodes, lag } = await node.health();
    if (ready && nodes === 3 && lag.entries === 0) return;
  }
}

describe("nodes in processes of their own, on one Postgres", () => {
  let cluster: NodeCluster;
  let nodes: readonly [NodeProcess, NodeProcess, NodeProcess];

  before(async () => {
    cluster = await startCluster(3);
    nodes = cluster.nodes as typeof nodes;
  });

  after(() => cluster.close());

  test("each node process reports its id, journal and position, shows no password, and stores no local journal", async () => {
    const healths = await Promise.all(nodes.map((node) => node.health()));
    for (const health of healths) {
      assert.deepEqual([health.ready, health.reasons, health.journal], [true, [], "postgres"]);
      assert.deepEqual([health.epoch, health.rules, health.lag.entries], [1, newest, 0]);
    }
    assert.equal(new Set(healths.map(({ node }) => node)).size, 3);
    const password = new URL(cluster.postgres.url).password;
    for (const { program, folder } of nodes) {
      const up = await program.line(/"event":"up"/);
      assert.match(up, /"journal":"postgres:\/\/holdfast@127\.0\.0\.1:\d+\/postgres","space":"main"/);
      assert.ok(!up.includes(password));
      assert.ok(!existsSync(`${folder}/journal.db`), readdirSync(folder).join());
    }
  });

  test("a lock taken through one node process is denied through another, and on release granted to a waiter at a third [W11 X7]", async () => {
    const [a, b, c] = nodes;
    await using ann = await clientOf([a]);
    await using bob = await clientOf([b]);
    await using cat = await clientOf([c]);
    const held = granted(await ann.operations.acquireLock({ paths: ["doc/1"], ttlMs: 60_000, ownerId: "ann" }));
    const denied = await refusalOf(bob.operations.acquireLock({ paths: ["doc/1"], ttlMs: 60_000, ownerId: "bob" }));
    assert.deepEqual([denied.code, denied.data["currentOwner"]], ["lock_denied", "ann"]);
    const waiting = queued(
      await cat.operations.acquireLock({ paths: ["doc/1"], ttlMs: 60_000, ownerId: "cat", wait: true }),
    );
    const events = cat.watch({ owner: "cat", after: await cat.cursor() });
    const next = events.next();
    const released = performance.now();
    await ann.locks.release({ fence: held.fence }, { ownerId: "ann" });
    assert.equal(((await next).value as { readonly name: string }).name, "evt.lock.acquired");
    // Polling would find it after a second, so a wake delivered it.
    assert.ok(performance.now() - released < 900, `${performance.now() - released} ms`);
    assert.equal((await cat.locks.ticket(waiting.ticket)).state, "granted");
    await events.return?.();
  });

  test("a write, token or agent that is acknowledged by one node process is known to every other at once", async () => {
    const [a, b, c] = nodes;
    await using operator = await clientOf([a], { token: cluster.operatorToken });
    await using ann = await clientOf([a]);
    for (let n = 0; n < 20; n += 1) {
      const { version } = await ann.entities.create("note", String(n), { n });
      const { secret: token } = await operator.tokens.create({
        principal: "bob",
        allow: [{ verbs: ["read", "write", "register", "lock"], under: "" }],
      });
      const there = n % 2 === 0 ? b : c;
      await using bob = await clientOf([there], n % 4 < 2 ? { token } : { token, transport: "http" });
      assert.equal((await bob.entities.get("note", String(n))).version, version);
      const agent = await ann.agents.register({ name: `agent ${String(n)}` });
      await using same = (await clientOf([there])).as(agent);
      const me = (await same.run("who-am-i", {})) as { readonly agent: { readonly agent_id: string } };
      assert.equal(me.agent.agent_id, agent.agentId);
    }
  });

  test("a waiter at a killed node continues through another node, keeps its position in the queue, and gets the lock [W11]", async () => {
    const [a, b, c] = nodes;
    await using ann = await clientOf([a], { name: "ann" });
    await using bob = await clientOf([b, c], { name: "bob" });
    const lock = await ann.acquire("doc/2");
    assert.ok(lock.granted);
    const seen = bob.watch({ names: ["evt.note.created"] });
    const first = seen.next();
    const inLine = Promise.withResolvers<number>();
    const waiting = bob.acquire("doc/2", { onPlace: ({ place }) => inLine.resolve(place) });
    assert.equal(await inLine.promise, 1);
    await b.end("SIGKILL");
    await ann.entities.create("note", "while it was away", {});
    await lock.release();
    await using mine = await waiting;
    assert.ok(mine.granted);
    // The watch also continues, and misses no event.
    assert.equal(((await first).value as { readonly subject: string }).subject, "note/while it was away");
    await seen.return?.();
    await b.start();
  });

  test("nodes that are cut off from Postgres are not ready, refuse writes and latest reads, and catch up after the reconnect", async () => {
    const [a] = nodes;
    await using ann = await clientOf([a], { retry: false });
    await ann.entities.create("note", "known", {});
    await cluster.postgres.order("crash");
    const note = { type: "note", id: "new", value: {} };
    const refused = await refusalOf(ann.run("create-entity", note, { key: "once", deadlineMs: 300 }));
    assert.ok(["journal_unavailable", "outcome_unknown"].includes(refused.code), refused.code);
    assert.equal(refused.retry, "same-key");
    const unread = await refusalOf(ann.entities.get("note", "known"));
    assert.deepEqual([unread.code, unread.retry], ["journal_unavailable", "same-key"]);
    const http = await fetch(`${a.url}/v1/entities/note/known`);
    assert.equal(http.status, 503);
    const local = { "Holdfast-Reads": "local" };
    assert.equal((await fetch(`${a.url}/v1/entities/note/known`, { headers: local })).status, 200);
    assert.equal(
      (await ann.execute("get-entity", { type: "note", id: "known" }, { reads: "local" })).outcome.kind,
      "done",
    );
    const cut = await a.health();
    assert.equal(cut.ready, false);
    assert.ok(cut.reasons.length > 0 && !cut.reasons.join().includes("127.0.0.1"), cut.reasons.join());
    await cluster.postgres.order("start");
    await using patient = await clientOf([a], { retry: { tries: 100, totalMs: 60_000 } });
    const written = await patient.execute("create-entity", note, { key: "once" });
    assert.equal(written.outcome.kind, "done");
    for (const { url } of nodes) {
      await using reader = await connect(url, { retry: { tries: 100, totalMs: 60_000 } });
      assert.equal((await reader.entities.get("note", "new")).version, 1);
    }
    // A node with nothing to write must become ready too. Otherwise it would never get a request.
    for (const node of nodes) await seesAllNodes(node);
  });

  test("a command line fails over to the next node, and reports the health of each node", async () => {
    const gone = "http://127.0.0.1:1";
    await seesAllNodes(nodes[1]);
    const env = { HOLDFAST_URL: `${gone},${nodes[1].url}` };
    for (const words of ["locks --json", "locks --json --local", "list note --json --local"]) {
      assert.equal((await run("/", words, { env })).code, 0, words);
    }
    const { code, lines, errors } = await run("/", "health", { env });
    assert.equal(code, 122);
    assert.match(errors, /no server answers at http:\/\/127\.0\.0\.1:1,/);
    const ready = `\\(epoch 1, one of 3 nodes, \\d+ entries behind, rules ${newest}\\)`;
    assert.match(lines.join("\n"), new RegExp(`is ready, at position \\d+ ${ready}`, "u"));
  });

  test("a run of intents continues through another node after kill -9 of its runner and of its node [B5 X7]", async (t) => {
    const [one, two] = nodes;
    await using client = await clientOf([two]);
    const file = join(await folderFor(t), "effects");
    await client.intents.create({ id: "1", payload: { count: 0 } });
    const doomed = startRunner(t, { urls: [one.url], id: "1", file, point: "after second" });
    assert.equal(await doomed.line(), "at after second");
    await one.end("SIGKILL");
    doomed.signal("SIGKILL");
    assert.equal(await startRunner(t, { urls: [two.url], id: "1", file }).line(), "ended completed 1");
    await assertRun(client, "1", file);
    await one.start();
  });

  test("a step whose node is killed before its answer runs once, and its run continues on another node [B5 X3 X7]", async (t) => {
    const [one, two, three] = nodes;
    await using client = await clientOf([three]);
    const file = join(await folderFor(t), "effects");
    await client.intents.create({ id: "2", payload: { count: 0 } });
    // The runner uses one of two nodes, at random, and each has a proxy.
    const ways = await Promise.all(
      [one, two].map(async (node) => ({ node, ...(await answerProxyFor(t, node.url, "second")) })),
    );
    const runner = startRunner(t, { urls: ways.map(({ url }) => url), id: "2", file, ttlMs: 60_000 });
    const [used, position] = await Promise.race(ways.map(async (way) => [way, (await way.withheld).position] as const));
    await used.node.end("SIGKILL");
    assert.equal(await runner.line(), "ended completed 0");
    await assertRun(client, "2", file);
    assert.deepEqual(await donePositions(client, "2", "second"), [position]);
    assert.deepEqual(await effectsOf(file), ["first", "second", "third"]);
    await used.node.start();
  });

  test("nodes that are restarted one by one to a build with newer rules fail no call, and use the rules once all have them [M3]", async () => {
    await using watcher = await clientOf(nodes);
    const raised = watcher.watch({ names: ["evt.space.rules_raised"] });
    const isRaised = raised.next();
    let isOver = false;
    const writers = await Promise.all(
      nodes.map((node) => clientOf([node, ...nodes.filter((other) => other !== node)])),
    );
    const writing = writers.map(async (client, index) => {
      let count = 0;
      for (; !isOver; count += 1) await client.entities.create("rolling", `${String(index)} ${String(count)}`, {});
      return count;
    });
    for (const node of nodes) {
      assert.deepEqual([(await node.health()).rules, (await node.end("SIGTERM")).code], [newest, 0]);
      await node.start(newerBuild);
    }
    assert.ok(!(await isRaised).done);
    isOver = true;
    const counts = await Promise.all(writing);
    assert.ok(Math.min(...counts) > 0);
    for (const node of nodes) {
      await rulesAreRaised(node, newest + 1);
      assert.equal((await node.health()).rules, newest + 1);
    }
    // A node without these rules cannot rejoin.
    const [a] = nodes;
    await a.end("SIGTERM");
    await assert.rejects(
      a.start(),
      new RegExp(`the process ended \\(5\\).*rules ${newest + 1}, which this build does not know`, "su"),
    );
    await Promise.all([...writers.map((client) => client.close()), raised.return?.()]);
  });
});
