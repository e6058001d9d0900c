/** Senders of parts that arrive byte by byte. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { partLimits } from "../../server/src/app/packs/files/part-limits.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import type { Clock } from "../../server/src/base/clock.ts";
import { filesServer, operatorToken } from "./files-server.ts";

/** Begins to send a part of 8 MB, and stops after its first bytes. */
function slowPart(t: TestContext, url: string, id: string, name: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  const lines = [
    `PUT /v1/files/publishes/${id}/parts?path=${name}&offset=0 HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${operatorToken}`,
    "content-type: application/octet-stream",
    "content-length: 8000000",
    "expect: 100-continue",
    "",
    "",
  ];
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.write(lines.join("\r\n"));
    // The answer `100 Continue` shows that the server has the request.
    socket.once("data", () => {
      socket.write("first bytes", () => {
        resolve(socket);
      });
    });
  });
}

test("slow senders of one principal do not stop the uploads of another one [W6]", async (t) => {
  await using server = await filesServer();
  const bob = await server.clientOf("bob", [
    { verbs: ["read", "write", "lock"], under: "site" },
    { verbs: ["register"], under: "**" },
  ]);
  await using slow = await server.operator.files.publish("slow/a");
  const names = Array.from({ length: 20 }, (_none, index) => `f${String(index)}`);
  const sockets = await Promise.all(names.map((name) => slowPart(t, server.url, slow.id, name)));
  await using publish = await bob.files.publish("site/docs");
  await publish.write("a.txt", "arrives");
  assert.equal((await publish.commit()).files, 1);
  // Bob did not only wait until the server closed the silent connections.
  assert.deepEqual(
    sockets.filter(({ readableEnded }) => readableEnded),
    [],
  );
  // A door that closes would wait for them.
  for (const socket of sockets) socket.destroy();
});

/** The time of a server whose limit of a part ends when the test ends it. */
function partClock() {
  const armed = Promise.withResolvers<() => void>();
  const clock: Clock = {
    ...systemClock,
    after(delayMs, callback, options) {
      if (delayMs !== partLimits.partMs) return systemClock.after(delayMs, callback, options);
      armed.resolve(callback);
      return () => undefined;
    },
  };
  return { clock, armed: armed.promise };
}

test("a part whose sender always sends a little ends at its timeout, and the upload continues at its offset [W6 X15]", async (t) => {
  const { clock, armed } = partClock();
  await using server = await filesServer(undefined, { clock });
  await using publish = await server.operator.files.publish("slow/b");
  const sender = await slowPart(t, server.url, publish.id, "a.txt");
  const answer = Promise.race([once(sender, "data"), once(sender, "close")]);
  const endTime = await armed;
  await new Promise<void>((resolve) => void sender.write("a few more", () => resolve()));
  endTime();
  const [head, body = ""] = String(await answer).split("\r\n\r\n");
  assert.match(head ?? "", /^HTTP\/1\.1 408 /u);
  assert.match(head ?? "", /connection: close/iu);
  const { code, offset, limit_ms: limitMs } = JSON.parse(body) as Record<string, unknown>;
  assert.deepEqual([code, offset, limitMs], ["files.part_late", 0, partLimits.partMs]);
  sender.destroy();
  await publish.write("a.txt", "arrives");
  assert.deepEqual((await publish.commit()).bytes, 7);
});
