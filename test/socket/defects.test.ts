import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { closeCodes } from "@holdfast/sdk/contract";
import type { Transport } from "holdfast";
import type { Gate } from "../../server/src/access/gate.ts";
import { appOperations } from "../../server/src/app/calls/app-operations.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { systemIds } from "../../server/src/base/ids.ts";
import { openSocketDoor } from "../../server/src/doors/socket/open.ts";
import { rawSocketFor } from "./raw-socket.ts";

const broken = (): never => {
  throw new TypeError("a defect");
};

/** A transport whose calls throw. Only the methods that run before them succeed. */
const transport: Transport = {
  call: broken,
  watch: broken,
  notices: broken,
  cursor: () => Promise.resolve("1.0"),
  close: () => Promise.resolve(),
};

test("an exception during a message closes that socket and is reported, and the process and other sockets continue", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const reports: unknown[] = [];
  let admitted = 0;
  const gate: Gate = {
    admit({ token }) {
      admitted += 1;
      if (token === "broken") return broken();
      return { principal: "anonymous", isOperator: false, calls: { ...transport, submit: broken } };
    },
    refresh: () => Promise.resolve(false),
    noteRejection: () => undefined,
  };
  const report = (_message: string, cause: unknown): void => void reports.push(cause);
  const door = openSocketDoor({
    server,
    gate,
    operations: appOperations([]),
    clock: systemClock,
    ids: systemIds,
    version: "t",
    report,
  });
  t.after(async () => {
    await door.close();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bystander = await rawSocketFor(t, url);
  bystander.hello();
  await bystander.message("welcome");
  const wrong = [
    { kind: "call", id: 1, operation: "get-entity", input: {} },
    { kind: "watch", id: 1 },
    { kind: "watch", id: 1, after: "1.0" },
    { kind: "listen", id: 1, owner: "ann" },
  ];
  for (const message of wrong) {
    const socket = await rawSocketFor(t, url);
    socket.hello();
    socket.send(message);
    assert.equal(await socket.closed, closeCodes.defect, message.kind);
  }
  const unwelcome = await rawSocketFor(t, url);
  unwelcome.hello({ token: "broken" });
  assert.equal(await unwelcome.closed, closeCodes.defect);
  assert.deepEqual([reports.length, admitted], [wrong.length + 1, wrong.length + 2]);
  bystander.send({ kind: "ping", id: 5 });
  assert.equal((await bystander.message("pong"))["id"], 5);
});
