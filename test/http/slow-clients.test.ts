/** Clients that crawl or stop in the middle are cut off with a word, and meanwhile nobody waits for them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Transport } from "holdfast";
import type { Gate } from "../../server/src/access/gate.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { openHttpDoor } from "../../server/src/doors/http/open.ts";
import type { Health, HttpDoor } from "../../server/src/doors/http/open.ts";
import { openApiDocument } from "../../server/src/doors/http/openapi/openapi-document.ts";

const health: Health = {
  ...{ live: true, ready: true, reasons: [], node: "n", version: "test", nodes: 1 },
  ...{ position: 0, lag: { entries: 0, heard_ms_ago: 0 }, epoch: 1, rules: 1 },
  journal: "sqlite",
};

const nobody: Gate["admit"] = () => ({ code: "token_required", data: {} });

/** A door with little patience, that lets nobody in if it is not told to. */
async function doorFor(t: TestContext, admit = nobody): Promise<HttpDoor> {
  const door = await openHttpDoor({
    ...{ host: "127.0.0.1", port: 0, clock: systemClock, version: "test" },
    gate: { admit, refresh: () => Promise.resolve(false) },
    report: (message) => assert.fail(message),
    health: () => Promise.resolve(health),
    metricsText: () => assert.fail("nobody may read figures"),
    limits: { headersMs: 300, requestMs: 600, checkEveryMs: 50 },
  });
  t.after(() => door.close());
  return door;
}

async function speaking(door: HttpDoor, text: string): Promise<{ socket: Socket; answer: Promise<string> }> {
  const { port } = new URL(door.url);
  const socket = connect(Number(port), "127.0.0.1");
  let received = "";
  socket.setEncoding("latin1").on("data", (part: string) => (received += part));
  socket.on("error", () => undefined);
  // Who still writes after it was cut off meets an error; what it was told counts all the same.
  const answer = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(received));
  });
  await once(socket, "connect");
  socket.write(text);
  return { socket, answer };
}

test("headers that dribble in, and a body that never ends, are answered with 408 and cut off [P9]", async (t) => {
  const transport = {} as Transport;
  const door = await doorFor(t, () => ({ principal: "anonymous", isOperator: false, transport }));
  const crawling = await speaking(door, "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ");
  const silent = await speaking(door, "GET /hea");
  const head = `Host: ${new URL(door.url).host}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n`;
  const stuck = await speaking(door, `POST /v1/locks/acquire HTTP/1.1\r\n${head}{"a`);
  for (let count = 0; count < 20; count += 1) {
    crawling.socket.write("a");
    assert.equal((await fetch(`${door.url}/health`)).status, 200);
  }
  const [one, other, third] = await Promise.all([crawling.answer, silent.answer, stuck.answer]);
  assert.match(one, /^HTTP\/1\.1 408 .*application\/problem\+json/su);
  for (const text of [other, third]) assert.match(text, /^HTTP\/1\.1 408 /u);
});

test("figures and everything under /v1 are closed to whoever is not let in; health is not", async (t) => {
  const door = await doorFor(t);
  for (const path of ["/metrics", "/v1/agents", "/v1/events", "/v1/notices?owner=a", "/v1/cursor"]) {
    assert.equal((await fetch(door.url + path)).status, 401, path);
  }
  assert.equal((await fetch(`${door.url}/health`)).status, 200);
});

test("a foreign Host or Origin is refused at every address, event streams included, before anything else", async (t) => {
  const door = await doorFor(t);
  const { host } = new URL(door.url);
  for (const place of door.places) {
    const [method = "", path = ""] = place.replaceAll(/\{[a-z_]+\}/gu, "x").split(" ");
    for (const headers of [`Host: evil.example`, `Host: ${host}\r\nOrigin: https://evil.example`]) {
      const { answer } = await speaking(door, `${method} ${path} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`);
      assert.match(await answer, /^HTTP\/1\.1 403 /u, `${place} ${headers}`);
    }
  }
});

test("no address is served that the description does not name, but for pages and figures [X8]", async (t) => {
  const door = await doorFor(t);
  const paths = openApiDocument("1").paths as Readonly<Record<string, object>>;
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const beside = ["GET /health/live", "GET /metrics", "GET /docs", "GET /openapi.json", "GET /"];
  const undescribed = door.places.filter((one) => !described.includes(one) && !one.startsWith("HEAD "));
  assert.deepEqual(
    undescribed.filter((one) => !beside.includes(one)),
    [],
  );
  assert.deepEqual(
    described.filter((one) => !door.places.includes(one)),
    [],
  );
});
