import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "holdfast";
import type { WatchedEvent } from "holdfast";
import { parseAddresses } from "../../sdk/src/client/transport/address.ts";
import { findServer } from "../../sdk/src/client/discovery/find-server.node.ts";
import { proxyFor } from "./tcp-proxy.ts";
import { folderFor, serverFor } from "./with-server.ts";
import { rawTryAcquire } from "../locks/raw-acquire.ts";

for (const transport of ["socket", "http"] as const) {
  test(`a client over the ${transport} supports entities, agents, locks and events like an embedded one [X8]`, async (t) => {
    const { url } = await serverFor(t);
    await using client = await connect(url, { transport });
    const events = client.watch({ after: await client.cursor() });
    const ann = client.as(await client.agents.register({ name: "ann" }));
    const bob = client.as(await client.agents.register({ name: "bob" }));
    const held = await ann.operations.acquireLock({ paths: ["repo/x"], ttlMs: 30_000, purpose: "renaming" });
    const denied = await rawTryAcquire(bob, ["repo/x/a.ts"], { ttlMs: 30_000 });
    assert.deepEqual([held.granted, denied.granted], [true, false]);
    await client.entities.create("plan", "42", { title: "Launch" });
    const refused = client.entities.patch("plan", "42", { merge: { title: "x" } }, { expectedVersion: 7 });
    await assert.rejects(refused, { code: "concurrency_mismatch" });

    const names: string[] = [];
    for await (const { name } of events) {
      names.push(name);
      if (name === "evt.plan.conflict") break;
    }
    const agents = ["evt.agent.registered", "evt.agent.registered"];
    assert.deepEqual(names, [...agents, "evt.lock.acquired", "evt.plan.created", "evt.plan.conflict"]);
  });

  test(`a client over the ${transport} reports an absent server as unreachable, with its address and the fix`, async (t) => {
    const { url, ...server } = await serverFor(t);
    await server.close();
    await using client = await connect(url, { transport, retry: false });
    const message = new RegExp(`unreachable.*${url}.*holdfast up.*HOLDFAST_URL`, "u");
    await assert.rejects(client.entities.get("plan", "1"), { code: "unreachable", message });
    await assert.rejects(client.cursor(), { code: "unreachable" });
    await assert.rejects(client.watch().next(), { code: "unreachable" });
  });
}

test("a watch over HTTP continues after its connection breaks, and ends when the caller closes it", async (t) => {
  const { url } = await serverFor(t);
  const proxy = await proxyFor(t, url);
  await using direct = await connect(url);
  await using client = await connect(proxy.url, { transport: "http" });
  const events = client.watch({ after: "1.0" });
  const positions: number[] = [];
  for (let index = 1; index <= 12; index += 1) {
    await direct.entities.create("item", String(index), index);
    const { value: event } = (await events.next()) as { readonly value: WatchedEvent };
    positions.push(event.position);
    if (index % 4 === 0) proxy.cut();
  }
  assert.deepEqual(
    positions,
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
  const waiting = events.next();
  await events.return?.();
  assert.equal((await waiting).done, true);
});

test("a running server is found from any folder below the parent of its data folder", async (t) => {
  const folder = await folderFor(t);
  const { url, ...server } = await serverFor(t, join(folder, ".holdfast"));
  const below = join(folder, "a", "b");
  mkdirSync(below, { recursive: true });
  assert.equal(findServer({ folder: below, env: {} })?.url, url);
  await server.close();
  assert.ok(!existsSync(join(folder, ".holdfast", "server.json")), "a stopped server removes its address");
});

test("a server that starts overwrites the address file of a crashed server", async (t) => {
  const data = join(await folderFor(t), ".holdfast");
  mkdirSync(data);
  writeFileSync(join(data, "server.json"), '{"url": "http://127.0.0.1:1", "pid": 1}');
  const { url } = await serverFor(t, data);
  const written = JSON.parse(readFileSync(join(data, "server.json"), "utf8")) as { readonly url: string };
  assert.equal(written.url, url);
});

test("an address that is malformed or contains a secret is refused with a correct example", () => {
  for (const wrong of ["nonsense", "ftp://x", "http://user:secret@127.0.0.1", "http://127.0.0.1/?token=secret"]) {
    assert.throws(() => parseAddresses(wrong, "the test"), /Use one such as http|Pass a token as the option/u);
  }
});

test("a closed client refuses calls, and an abort signal ends a call, which has no effect if it was not sent", async (t) => {
  const { url } = await serverFor(t);
  const client = await connect(url);
  const aborted = AbortSignal.abort(new Error("aborted before the call"));
  const never = client.run("create-entity", { type: "plan", id: "1", value: 1 }, { signal: aborted });
  await assert.rejects(never, /aborted before the call/u);
  const controller = new AbortController();
  const late = client.run("create-entity", { type: "plan", id: "2", value: 1 }, { signal: controller.signal });
  controller.abort(new Error("aborted during the call"));
  await assert.rejects(late, /aborted during the call/u);
  assert.deepEqual((await client.entities.list("plan")).items, []);
  await client.close();
  await assert.rejects(client.entities.list("plan"), { code: "closed" });
  await assert.rejects(client.cursor(), { code: "closed" });
});
