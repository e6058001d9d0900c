/** Slow and stalled clients are disconnected with an answer, and block no other client. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Gate } from "../../server/src/access/gate.ts";
import { appOperations } from "../../server/src/app/calls/app-operations.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import type { Calls } from "../../server/src/operations/call.ts";
import { openHttpDoor } from "../../server/src/doors/http/open.ts";
import type { Health, HttpDoor } from "../../server/src/doors/http/open.ts";
import { openApiDocument } from "../../server/src/doors/http/openapi/openapi-document.ts";

const health: Health = {
  ...{ live: true, ready: true, reasons: [], node: "n", version: "test", nodes: 1 },
  ...{ position: 0, lag: { entries: 0, age_ms: 0 }, epoch: 1, rules: 1 },
  journal: "sqlite",
  services: {},
  jobs: null,
  checks: { waiting: 0, restarts: 0 },
};

const rejectAll: Gate["admit"] = () => ({ code: "token_required", data: {} });

/** A door with short timeouts. By default its gate rejects all callers. */
async function doorFor(t: TestContext, admit = rejectAll): Promise<HttpDoor> {
  const door = await openHttpDoor({
    ...{ host: "127.0.0.1", port: 0, clock: systemClock, version: "test", operations: appOperations([]) },
    gate: { admit, refresh: () => Promise.resolve(false), noteRejection: () => undefined },
    report: (message) => assert.fail(message),
    health: () => Promise.resolve(health),
    metricsText: () => assert.fail("a rejected caller reads no metrics"),
    limits: { headersMs: 300, requestMs: 600, checkEveryMs: 50 },
  });
  t.after(() => door.close());
  return door;
}

async function rawRequest(door: HttpDoor, text: string): Promise<{ socket: Socket; answer: Promise<string> }> {
  const { port } = new URL(door.url);
  const socket = connect(Number(port), "127.0.0.1");
  let received = "";
  socket.setEncoding("latin1").on("data", (part: string) => (received += part));
  socket.on("error", () => undefined);
  // A client that writes after the disconnect gets an error. The answer that it received before still counts.
  const answer = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(received));
  });
  await once(socket, "connect");
  socket.write(text);
  return { socket, answer };
}

test("a request whose headers or body do not complete in time gets 408 and is disconnected [P9]", async (t) => {
  const calls = {} as Calls;
  const door = await doorFor(t, () => ({ principal: "anonymous", isOperator: false, calls }));
  const crawling = await rawRequest(door, "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ");
  const silent = await rawRequest(door, "GET /hea");
  const head = `Host: ${new URL(door.url).host}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n`;
  const stuck = await rawRequest(door, `POST /v1/locks/acquire HTTP/1.1\r\n${head}{"a`);
  for (let count = 0; count < 20; count += 1) {
    crawling.socket.write("a");
    assert.equal((await fetch(`${door.url}/health`)).status, 200);
  }
  const [first, second, third] = await Promise.all([crawling.answer, silent.answer, stuck.answer]);
  assert.match(first, /^HTTP\/1\.1 408 .*application\/problem\+json/su);
  for (const text of [second, third]) assert.match(text, /^HTTP\/1\.1 408 /u);
});

test("a rejected caller gets 401 for metrics and every route under /v1, and 200 for health", async (t) => {
  const door = await doorFor(t);
  for (const path of ["/metrics", "/v1/agents", "/v1/events", "/v1/notices?owner=a", "/v1/cursor"]) {
    assert.equal((await fetch(door.url + path)).status, 401, path);
  }
  assert.equal((await fetch(`${door.url}/health`)).status, 200);
});

test("a foreign Host or Origin header is refused on every route, including event streams, before any other check", async (t) => {
  const door = await doorFor(t);
  const { host } = new URL(door.url);
  for (const route of door.routes) {
    const [method = "", path = ""] = route.replaceAll(/\{[a-z_]+\}/gu, "x").split(" ");
    for (const headers of [`Host: evil.example`, `Host: ${host}\r\nOrigin: https://evil.example`]) {
      const { answer } = await rawRequest(
        door,
        `${method} ${path} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`,
      );
      assert.match(await answer, /^HTTP\/1\.1 403 /u, `${route} ${headers}`);
    }
  }
});

test("the door serves no route that the description lacks, except for pages, metrics and liveness [X8]", async (t) => {
  const door = await doorFor(t);
  const paths = openApiDocument("1").paths as Readonly<Record<string, object>>;
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const otherRoutes = ["GET /health/live", "GET /metrics", "GET /docs", "GET /openapi.json", "GET /llms.txt", "GET /"];
  const undescribed = door.routes.filter((route) => !described.includes(route) && !route.startsWith("HEAD "));
  assert.deepEqual(
    undescribed.filter((route) => !otherRoutes.includes(route)),
    [],
  );
  assert.deepEqual(
    described.filter((route) => !door.routes.includes(route)),
    [],
  );
});
