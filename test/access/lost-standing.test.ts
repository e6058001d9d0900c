/** Whoever only listens is looked at too: a token that is none any more ends what is open in its name. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { refusedWith } from "../api/refused-with.ts";
import { rawSocketFor } from "../socket/raw-socket.ts";
import { folderFor, serverFor } from "../socket/with-server.ts";
import { gatedNode } from "./gated-node.ts";

const allow = [{ verbs: ["read" as const, "lock" as const], under: "" }];

/** What is open and idle in somebody's name. */
function idleOf(client: Client): readonly Promise<unknown>[] {
  const idle = [client.watch(), client.watch({ owner: "ann" }), client.notices({ owner: "ann" })];
  return idle.map((one) => one.next());
}

test("a revoked token ends watches on which nothing happens, and nobody else's [P6]", async () => {
  const node = await gatedNode();
  const { secret, token_id } = await node.operator.tokens.create({ principal: "ci", allow });
  const other = await node.tokenFor("other", allow);
  const ended = idleOf(node.clientWith({ token: secret }));
  // All but the first of each, which hears of the revocation itself.
  const others = [node.clientWith(), node.clientWith({ token: other })].flatMap((one) => idleOf(one).slice(1));
  const untouched = Promise.race(others);
  await node.operator.tokens.revoke(token_id);
  for (const one of ended) await assert.rejects(one, refusedWith("token_invalid"));
  assert.equal(await Promise.race([untouched, Promise.resolve("open")]), "open");
  await node.stop();
});

test("a token that expires ends watches in that moment, by the time of the engine", async () => {
  const node = await gatedNode();
  const { secret } = await node.operator.tokens.create({ principal: "ci", allow, expiresInSeconds: 60 });
  const ended = Promise.allSettled(idleOf(node.clientWith({ token: secret })));
  await node.clock.pass(59_000, 500);
  assert.equal(await Promise.race([ended, Promise.resolve("open")]), "open");
  await node.clock.pass(1_500, 500);
  assert.deepEqual(
    (await ended).map((one) => (one.status === "rejected" ? (one.reason as { code?: string }).code : one.status)),
    ["token_invalid", "token_invalid", "token_invalid"],
  );
  await node.stop();
});

test("a revoked token closes its idle event streams and ends its watches, over HTTP and the socket [P6]", async (t) => {
  const data = join(await folderFor(t), ".holdfast");
  const { url } = await serverFor(t, data);
  await using operator = await connect(url, { token: (await readFile(join(data, "operator-token"), "utf8")).trim() });
  const { secret, token_id } = await operator.tokens.create({ principal: "ci", allow });
  const headers = { authorization: `Bearer ${secret}` };
  const streams = await Promise.all(
    ["/v1/events", "/v1/events?owner=ann", "/v1/notices?owner=ann"].map((path) => fetch(url + path, { headers })),
  );
  const socket = await rawSocketFor(t, url);
  socket.hello({ token: secret });
  socket.send({ kind: "watch", id: 1 }, { kind: "listen", id: 2, owner: "ann" });
  await socket.message("watching");
  const bodies = streams.map((stream) => stream.text());
  await operator.tokens.revoke(token_id);
  // Each of them ends, and none with an event that its reader may not have.
  for (const body of await Promise.all(bodies)) assert.doesNotMatch(body, /token/u);
  for (const _ of [1, 2]) {
    const { problem } = await socket.message("ended");
    assert.equal((problem as { code: string }).code, "token_invalid");
  }
  const again = await fetch(`${url}/v1/events`, { headers });
  assert.equal(again.status, 401);
});
