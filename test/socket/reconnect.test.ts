import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "holdfast";
import type { Client, WatchedEvent } from "holdfast";
import { serverFor } from "./with-server.ts";
import { proxyFor } from "./tcp-proxy.ts";

/** Reads events up to the one that satisfies the condition. */
async function until(events: AsyncIterable<WatchedEvent>, isLast: (event: WatchedEvent) => boolean) {
  const seen: WatchedEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (isLast(event)) break;
  }
  return seen;
}

/** The names of all events about a subject, from the start of the journal. */
async function eventsAbout(client: Client, subject: string): Promise<readonly string[]> {
  const head = Number((await client.cursor()).split(".")[1]);
  await client.entities.create("mark", `${subject}-${head}`, null);
  const all = await until(client.watch({ after: "1.0" }), ({ name }) => name === "evt.mark.created");
  return all.filter((event) => event.subject === subject).map(({ name }) => name);
}

test("a write whose reply is lost is answered after the reconnect, and runs once [M4]", async (t) => {
  const { url } = await serverFor(t);
  const proxy = await proxyFor(t, url);
  await using direct = await connect(url);
  await using client = await connect(proxy.url);
  await client.cursor();
  const changes = direct.watch({ names: ["evt.plan.changed"], after: await direct.cursor() });
  await direct.entities.create("plan", "1", { steps: [] });
  proxy.muteServer();
  const written = client.entities.patch("plan", "1", { patch: [{ op: "add", path: "/steps/-", value: 1 }] });
  await changes.next();
  proxy.cut();
  assert.deepEqual([(await written).version, proxy.count()], [2, 2]);
  assert.deepEqual(await eventsAbout(direct, "plan/1"), ["evt.plan.created", "evt.plan.changed"]);
});

test("an acquire that waits is queued once, even if the connection breaks repeatedly", async (t) => {
  const { url } = await serverFor(t);
  const proxy = await proxyFor(t, url);
  await using direct = await connect(url);
  await using client = await connect(proxy.url);
  await client.cursor();
  await direct.operations.acquireLock({ paths: ["a"], ttlMs: 60_000, ownerId: "ann" });
  const queued = direct.watch({ owner: "bob", after: await direct.cursor() });
  proxy.muteServer();
  const reply = client.operations.acquireLock({ paths: ["a"], ttlMs: 60_000, ownerId: "bob", wait: true });
  await queued.next();
  proxy.cut();
  const { ticket } = (await reply) as { readonly ticket: string };
  const { waits } = await direct.agents.whoAmI({ ownerId: "bob" });
  assert.deepEqual(
    waits.map((wait) => wait.ticket),
    [ticket],
  );
  // A second execution would have renewed the ticket. The answer is a replay of the first entry.
  assert.deepEqual(await eventsAbout(direct, `ticket/${ticket}`), []);
});

test("concurrent writes over a connection that breaks repeatedly each run once, and none is lost", async (t) => {
  const { url } = await serverFor(t);
  const proxy = await proxyFor(t, url);
  await using client = await connect(proxy.url);
  let doneCount = 0;
  const write = async (writer: number): Promise<void> => {
    for (let index = 0; index < 20; index += 1) {
      // The test sends no key. A second execution would be refused because the entity exists.
      const { version } = await client.entities.create("item", `${writer}-${index}`, index);
      assert.equal(version, 1);
      doneCount += 1;
      if (doneCount % 61 === 0) proxy.cut();
    }
  };
  await Promise.all(Array.from({ length: 25 }, (_, writer) => write(writer)));
  assert.equal(doneCount, 500);
  assert.ok(proxy.count() > 5, "the connection broke more than five times");
});

test("a watch over a connection that breaks repeatedly has no gap and no repeat", async (t) => {
  const { url } = await serverFor(t);
  const proxy = await proxyFor(t, url);
  await using direct = await connect(url);
  await using client = await connect(proxy.url);
  const all = client.watch({ after: "1.0" });
  const mine = client.watch({ owner: "ann", after: "1.0" });
  const work = async (): Promise<void> => {
    for (let index = 0; index < 300; index += 1) await direct.entities.create("item", String(index), index);
    const { fence } = (await direct.operations.acquireLock({ paths: ["a"], ttlMs: 60_000, ownerId: "ann" })) as {
      fence: string;
    };
    await direct.locks.release({ fence }, { ownerId: "ann" });
  };
  const working = work();
  const positions: number[] = [];
  for await (const { position, name } of all) {
    positions.push(position);
    if (positions.length % 40 === 0) proxy.cut();
    if (name === "evt.lock.released") break;
  }
  await working;
  assert.deepEqual(
    positions,
    Array.from({ length: 302 }, (_, index) => index + 1),
  );
  const own = await until(mine, ({ name }) => name === "evt.lock.released");
  assert.deepEqual(
    own.map(({ name }) => name),
    ["evt.lock.acquired", "evt.lock.released"],
  );
  assert.ok(proxy.count() > 5, "the connection broke more than five times");
});

test("a grant during a disconnect is reported after the reconnect", async (t) => {
  const { url } = await serverFor(t);
  const proxy = await proxyFor(t, url);
  await using direct = await connect(url);
  await using bob = await connect(proxy.url);
  const held = (await direct.operations.acquireLock({ paths: ["a"], ttlMs: 60_000, ownerId: "ann" })) as {
    fence: string;
  };
  const mine = bob.watch({ owner: "bob" });
  const { ticket } = (await bob.operations.acquireLock({
    paths: ["a"],
    ttlMs: 60_000,
    ownerId: "bob",
    wait: true,
  })) as {
    ticket: string;
  };
  proxy.cut();
  await direct.locks.release({ fence: held.fence }, { ownerId: "ann" });
  const [, granted] = await until(mine, ({ name }) => name === "evt.lock.acquired");
  assert.equal(granted?.name, "evt.lock.acquired");
  assert.equal((await bob.locks.accept(ticket, { ownerId: "bob" })).granted, true);
});

test("a call to a lost server fails as unreachable if it was not sent, and as outcome unknown if it was", async (t) => {
  const { url, ...server } = await serverFor(t);
  const proxy = await proxyFor(t, url);
  await using direct = await connect(url);
  await using client = await connect(proxy.url, { reconnectMs: 300, retry: false });
  await client.cursor();
  const changes = direct.watch({ after: await direct.cursor() });
  proxy.muteServer();
  const sent = client.execute("create-entity", { type: "plan", id: "1", value: 1 }, { key: "one" });
  await changes.next();
  await server.close();
  proxy.cut();
  const unsent = client.execute("create-entity", { type: "plan", id: "2", value: 1 });
  const codes = (await Promise.all([sent, unsent])).map(({ outcome }) => outcome.kind === "refusal" && outcome.code);
  assert.deepEqual(codes, ["outcome_unknown", "unreachable"]);
});
