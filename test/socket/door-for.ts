import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Gate } from "../../server/src/access/gate.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { systemIds } from "../../server/src/base/ids.ts";
import type { SocketLimits } from "../../server/src/doors/socket/limits.ts";
import { openSocketDoor } from "../../server/src/doors/socket/open.ts";
import { doorCallsOf, start } from "../../server/src/assembly/open.ts";

/** The socket door without a server, with limits that a test can reach. */
export async function doorFor(
  t: TestContext,
  limits: Partial<SocketLimits>,
): Promise<{ url: string; cutCount: () => number }> {
  const { services, client } = await start({ memory: true });
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  let cutCount = 0;
  server.on("connection", (socket) => socket.on("close", () => (cutCount += 1)));
  const gate: Gate = {
    refresh: () => Promise.resolve(false),
    noteRejection: () => undefined,
    admit: ({ connection: caller }) => {
      const principal = "anonymous";
      return {
        principal,
        isOperator: false,
        calls: doorCallsOf(services, {})({ principal, caller }),
      };
    },
  };
  const report = (message: string): never => assert.fail(message);
  const door = openSocketDoor({
    server,
    gate,
    operations: services.operations,
    clock: systemClock,
    ids: systemIds,
    version: "test",
    report,
    limits,
  });
  t.after(async () => {
    await door.close();
    server.close();
    await client.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cutCount: () => cutCount };
}
