import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { limitConnections, sharedAddress } from "../../server/src/access/limit-connections.ts";

interface BoundedServer {
  /** Opens a connection from an address of this host. */
  readonly open: (from?: string) => Promise<Socket>;
  /** Sends a request and waits until the server has it. */
  readonly ask: (socket: Socket) => Promise<ServerResponse>;
}

async function boundedServer(t: TestContext, perAddressMax: number, totalMax: number): Promise<BoundedServer> {
  const server = createServer();
  limitConnections(server, { perAddressMax, totalMax });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const opened: Socket[] = [];
  t.after(() => {
    for (const socket of opened) socket.destroy();
    server.close();
  });
  return {
    async open(from = "127.0.0.1") {
      const arrived = once(server, "connection");
      const socket = connect({ port, host: "127.0.0.1", localAddress: from });
      opened.push(socket);
      socket.on("error", () => undefined).resume();
      await arrived;
      return socket;
    },
    async ask(socket) {
      const arrived = once(server, "request") as Promise<[unknown, ServerResponse]>;
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      return (await arrived)[1];
    },
  };
}

test("a new connection replaces the one of its address that has been idle for the longest time [X15]", async (t) => {
  const { open, ask } = await boundedServer(t, 3, 100);
  const [first, second, third] = [await open(), await open(), await open()];
  const answered = await ask(first);
  answered.end();
  await once(answered, "close");
  const busy = await ask(third);
  const fourth = await open();
  await once(second, "close");
  const late = await open();
  await once(first, "close");
  assert.deepEqual(
    [third, fourth, late].map(({ destroyed }) => destroyed),
    [false, false, false],
  );
  busy.end();
});

test("a connection beyond the limit of its address is closed while all others of that address are busy [X15]", async (t) => {
  const { open, ask } = await boundedServer(t, 2, 100);
  const [first, second] = [await open(), await open()];
  const answers = [await ask(first), await ask(second)];
  const third = await open();
  await once(third, "close");
  const alias = await open("127.0.0.2");
  await once(alias, "close");
  answers[0]!.end();
  await once(answers[0]!, "close");
  const fourth = await open();
  await once(first, "close");
  assert.deepEqual(
    [second, fourth].map(({ destroyed }) => destroyed),
    [false, false],
  );
});

test("all addresses of the loopback interface count as one, so a program of this host leaves connections for other hosts [X15]", () => {
  for (const address of ["127.0.0.1", "127.200.3.4", "::1", "::ffff:127.0.0.9"])
    assert.equal(sharedAddress(address), "loopback");
  for (const address of ["192.0.2.7", "2001:db8::1", ""]) assert.equal(sharedAddress(address), address);
});

test("an idle connection of any address makes room for a new address at the limit of all connections [X15]", async (t) => {
  const { open, ask } = await boundedServer(t, 100, 2);
  const [first, second] = [await open(), await open()];
  const third = await open("127.0.0.2");
  await once(first, "close");
  const answers = [await ask(second), await ask(third)];
  const fourth = await open("127.0.0.3");
  await once(fourth, "close");
  for (const answer of answers) answer.end();
});
