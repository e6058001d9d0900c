import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { connect, systemClientClock } from "@holdfast/sdk";
import type { Client, ConnectOptions } from "@holdfast/sdk";
import { knownRules } from "../../server/src/assembly/open.ts";
import { refusalOf } from "../api/refused-with.ts";
import { granted, queued } from "../locks/lock-node.ts";
import { run } from "../scenario/holdfast-command.ts";
import { newerBuild, type NodeCluster, type NodeProcess, startCluster } from "./node-processes.ts";

/** A client whose first node is the first one that is named; usually chance decides. */
async function clientOf(nodes: readonly NodeProcess[], options: ConnectOptions = {}): Promise<Client> {
  const clock = { ...systemClientClock, random: () => 0 };
  return connect(
    nodes.map(({ url }) => url),
    { clock, ...options },
  );
}

const newest = knownRules.length;

/** Waits until a node has these rules. A node raises them once it has seen for a while that all nodes have them. */
async function rulesAreRaised(node: NodeProcess, to: number): Promise<void> {
  await using client = await clientOf([node]);
  for await (const { data } of client.watch({ after: "1.0", names: ["evt.space.rules_raised"] })) {
    if ((data as { readonly rules: number }).rules === to) return;
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

  test("each tells which it is, on what journal and how far; no password is told, and no journal is kept beside", async () => {
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

  test("a lock taken through one is denied through another; released, it goes to who waits at a third [W11 X7]", async () => {
    const [a, b, c] = nodes;
    await using ann = await clientOf([a]);
    await using bob = await clientOf([b]);
    await using cat = await clientOf([c]);
    const held = granted(await ann.locks.acquire("doc/1", { ttlSeconds: 60, ownerId: "ann" }));
    const denied = await refusalOf(bob.locks.acquire("doc/1", { ttlSeconds: 60, ownerId: "bob" }));
    assert.deepEqual([denied.code, denied.data["current_owner"]], ["lock_denied", "ann"]);
    const waiting = queued(await cat.locks.acquire("doc/1", { ttlSeconds: 60, ownerId: "cat", wait: true }));
    const events = cat.watch({ owner: "cat", after: await cat.cursor() });
    const next = events.next();
    const released = performance.now();
    await ann.locks.release({ fence: held.fence }, { ownerId: "ann" });
    assert.equal(((await next).value as { readonly name: string }).name, "evt.lock.acquired");
    // A lost wake would be found after a second; this came by itself.
    assert.ok(performance.now() - released < 900, `${performance.now() - released} ms`);
    assert.equal((await cat.locks.ticket(waiting.ticket)).state, "granted");
    await events.return?.();
  });

  test("what was acknowledged through one is read through any other at once, and a token or an agent is known there", async () => {
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
      assert.equal(me.agent.agent_id, agent.agent_id);
    }
  });

  test("who waits at a node that is killed goes on through another, in its place, and gets the lock [W11]", async () => {
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
    // The watch, too: nothing that happened meanwhile is missing.
    assert.equal(((await first).value as { readonly subject: string }).subject, "note/while it was away");
    await seen.return?.();
    await b.start();
  });

  test("cut off from Postgres they are not ready and refuse writes and latest reads; then they catch up by themselves", async () => {
    const [a] = nodes;
    await using ann = await clientOf([a], { retry: false });
    await ann.entities.create("note", "known", {});
    await cluster.postgres.order("crash");
    const wish = { type: "note", id: "new", value: {} };
    const refused = await refusalOf(ann.run("create-entity", wish, { key: "once", deadlineMs: 300 }));
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
    const written = await patient.execute("create-entity", wish, { key: "once" });
    assert.equal(written.outcome.kind, "done");
    for (const { url } of nodes) {
      await using reader = await connect(url, { retry: { tries: 100, totalMs: 60_000 } });
      assert.equal((await reader.entities.get("note", "new")).version, 1);
    }
    // Who has nothing to write is ready, too, or nothing would ever be sent to it.
    for (const node of nodes)
      assert.deepEqual(
        (await node.health()).reasons.filter((why) => why.includes("written")),
        [],
      );
  });

  test("a command line finds the next node, too, and says how each of them is", async () => {
    const gone = "http://127.0.0.1:1";
    const env = { HOLDFAST_URL: `${gone},${nodes[1].url}` };
    for (const words of ["locks --json", "locks --json --local", "list note --json --local"]) {
      assert.equal((await run("/", words, { env })).code, 0, words);
    }
    const { code, lines, errors } = await run("/", "health", { env });
    assert.equal(code, 122);
    assert.match(errors, /no server answers at http:\/\/127\.0\.0\.1:1,/);
    const ready = `\\(epoch 1, one of 3 nodes, 0 entries behind, rules ${newest}\\)`;
    assert.match(lines.join("\n"), new RegExp(`is ready, at position \\d+ ${ready}`, "u"));
  });

  test("restarted one by one under load, to a build with newer rules, they fail no call; the rules start when all have them [M3]", async () => {
    await using watcher = await clientOf(nodes);
    const raised = watcher.watch({ names: ["evt.space.rules_raised"] });
    const isRaised = raised.next();
    let isOver = false;
    const writers = await Promise.all(nodes.map((node) => clientOf([node, ...nodes.filter((one) => one !== node)])));
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
    // Nobody who does not know these rules comes back in.
    const [a] = nodes;
    await a.end("SIGTERM");
    await assert.rejects(
      a.start(),
      new RegExp(`it ended \\(5\\).*rules ${newest + 1}, which this build does not know`, "su"),
    );
    await Promise.all([...writers.map((client) => client.close()), raised.return?.()]);
  });
});
