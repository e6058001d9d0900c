/** Open watches and streams are checked too: they end when their token is revoked or expires. */
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

/** Idle watches of a client. */
function idleOf(client: Client): readonly Promise<unknown>[] {
  const idle = [client.watch(), client.watch({ owner: "ann" }), client.notices({ owner: "ann" })];
  return idle.map((each) => each.next());
}

test("a revoked token ends its own idle watches and no others [P6]", async () => {
  const node = await gatedNode();
  const { secret, tokenId } = await node.operator.tokens.create({ principal: "ci", allow });
  const other = await node.tokenFor("other", allow);
  const ended = idleOf(node.clientWith({ token: secret }));
  // The first watch of each client is left out because it receives the event of the revocation.
  const others = [node.clientWith(), node.clientWith({ token: other })].flatMap((each) => idleOf(each).slice(1));
  const untouched = Promise.race(others);
  await node.operator.tokens.revoke(tokenId);
  for (const each of ended) await assert.rejects(each, refusedWith("token_invalid"));
  assert.equal(await Promise.race([untouched, Promise.resolve("open")]), "open");
  await node.stop();
});

test("a token that expires ends its idle watches at once, by the engine's clock", async () => {
  const node = await gatedNode();
  const { secret } = await node.operator.tokens.create({ principal: "ci", allow, expiresInMs: 60_000 });
  const ended = Promise.allSettled(idleOf(node.clientWith({ token: secret })));
  await node.clock.pass(59_000, 500);
  assert.equal(await Promise.race([ended, Promise.resolve("open")]), "open");
  await node.clock.pass(1_500, 500);
  assert.deepEqual(
    (await ended).map((each) => (each.status === "rejected" ? (each.reason as { code?: string }).code : each.status)),
    ["token_invalid", "token_invalid", "token_invalid"],
  );
  await node.stop();
});

test("a revoked token closes its idle event streams and ends its watches, over HTTP and the socket [P6]", async (t) => {
  const data = join(await folderFor(t), ".holdfast");
  const { url } = await serverFor(t, data);
  await using operator = await connect(url, { token: (await readFile(join(data, "operator-token"), "utf8")).trim() });
  const { secret, tokenId } = await operator.tokens.create({ principal: "ci", allow });
  const headers = { authorization: `Bearer ${secret}` };
  const streams = await Promise.all(
    ["/v1/events", "/v1/events?owner=ann", "/v1/notices?owner=ann"].map((path) => fetch(url + path, { headers })),
  );
  const socket = await rawSocketFor(t, url);
  socket.hello({ token: secret });
  socket.send({ kind: "watch", id: 1 }, { kind: "listen", id: 2, owner: "ann" });
  await socket.message("watching");
  const bodies = streams.map((stream) => stream.text());
  await operator.tokens.revoke(tokenId);
  // Each stream ends without an event that its reader may not see.
  for (const body of await Promise.all(bodies)) assert.doesNotMatch(body, /token/u);
  for (const _ of [1, 2]) {
    const { problem } = await socket.message("ended");
    assert.equal((problem as { code: string }).code, "token_invalid");
  }
  const again = await fetch(`${url}/v1/events`, { headers });
  assert.equal(again.status, 401);
});
