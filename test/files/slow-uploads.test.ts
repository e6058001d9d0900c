/** Senders of parts that arrive byte by byte. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
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
  // A door that closes would wait for them.
  for (const socket of sockets) socket.destroy();
});
