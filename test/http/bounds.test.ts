/** Requests that no well-behaved client sends, and requests that arrive while the door closes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { httpServer, rawExchange } from "./http-server.ts";

const request = (url: string, lines: readonly string[], body = ""): string =>
  `${[...lines, `Host: ${new URL(url).host}`, "Connection: close"].join("\r\n")}\r\n\r\n${body}`;

function assertProblem(answer: string, status: number, code: string): void {
  assert.match(answer, new RegExp(`^HTTP/1\\.1 ${String(status)} `, "u"));
  assert.match(answer, /content-type: application\/problem\+json/iu);
  assert.match(answer, new RegExp(`"code":"${code}"`, "u"));
}

test("headers that are too large, and bytes that are not HTTP, get a problem document too [P9]", async () => {
  await using server = await httpServer();
  const { url } = server;
  const large = request(url, ["GET /health HTTP/1.1", `X-Large: ${"x".repeat(20_000)}`]);
  assertProblem(await rawExchange(url, large), 431, "headers_too_large");
  assertProblem(await rawExchange(url, "nonsense\r\n\r\n"), 400, "request_malformed");
});

test("a body that is too large is refused before it is read, and during the read if it has no Content-Length [P9]", async () => {
  await using server = await httpServer();
  const { url } = server;
  const post = ["POST /v1/commands HTTP/1.1", "Content-Type: application/json"];
  const declared = request(url, [...post, "Content-Length: 2000000"]);
  assertProblem(await rawExchange(url, declared), 413, "body_too_large");
  const chunk = `${(600_000).toString(16)}\r\n${" ".repeat(600_000)}\r\n`;
  const chunked = request(url, [...post, "Transfer-Encoding: chunked"], `${chunk}${chunk}0\r\n\r\n`);
  assertProblem(await rawExchange(url, chunked), 413, "body_too_large");
});

test("a body that is compressed, in another character set or not UTF-8 is refused [P9]", async () => {
  await using server = await httpServer();
  const statusOf = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await server.request("POST", "/v1/commands", { text: "{}", headers })).status;
  assert.equal(await statusOf({ "content-encoding": "gzip" }), 415);
  assert.equal(await statusOf({ "content-type": "application/json; charset=latin1" }), 415);
  const bytes = request(
    server.url,
    ["POST /v1/commands HTTP/1.1", "Content-Type: application/json", "Content-Length: 4"],
    '"\u00e4"',
  );
  // "ä" is sent as two bytes. With both quotes the body has four bytes.
  assert.match(await rawExchange(server.url, bytes), /^HTTP\/1\.1 422 /u);
  const response = await fetch(`${server.url}/v1/commands`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: new Uint8Array([0x22, 0xff, 0x22]),
  });
  assert.equal(response.status, 400);
  assert.equal(((await response.json()) as { reason: string }).reason, "not_utf8");
});

test("a request with a foreign Host or Origin header is refused with 403", async () => {
  await using server = await httpServer();
  const foreign = "GET /v1/agents HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
  assertProblem(await rawExchange(server.url, foreign), 403, "foreign_request");
  const page = await server.request("GET", "/v1/agents", { headers: { origin: "https://evil.example" } });
  assert.equal(page.status, 403);
  assert.equal(page.headers.get("access-control-allow-origin"), null);
});

test("a request or a socket upgrade with two Host or two Authorization headers is refused, because a proxy may have used the other one [X14]", async () => {
  await using server = await httpServer();
  const { host } = new URL(server.url);
  const upgrade = ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="];
  const status = async (path: string, lines: readonly string[]): Promise<string | undefined> => {
    const connection = path === "/v1/socket" ? ["Connection: upgrade", ...upgrade] : ["Connection: close"];
    const text = [`GET ${path} HTTP/1.1`, ...lines, ...connection].join("\r\n");
    return /^HTTP\/1\.1 (\d+) /u.exec(await rawExchange(server.url, `${text}\r\n\r\n`))?.[1];
  };
  for (const path of ["/health", "/v1/agents", "/v1/socket"]) {
    for (const others of [["evil.example"], [host], ["evil.example", host]]) {
      const lines = [host, ...others].map((each) => `Host: ${each}`);
      assert.equal(await status(path, lines), "403", `${path} ${lines.join(" ")}`);
    }
  }
  assert.equal(await status("http://evil.example/health", [`Host: ${host}`]), "403");
  assert.equal(await status(`http://${host}/health`, [`Host: ${host}`]), "200");
  const tokens = ["Authorization: Bearer one", "Authorization: Bearer two"];
  for (const path of ["/v1/agents", "/v1/socket"]) {
    assert.equal(await status(path, [`Host: ${host}`, ...tokens]), "400", path);
  }
});

test("every answer has headers against caching, framing and content sniffing", async () => {
  await using server = await httpServer();
  for (const path of ["/health", "/v1/agents", "/nothing", "/v1/entities/%zz", "/openapi.json"]) {
    const { headers } = await server.request("GET", path);
    assert.match(headers.get("cache-control") ?? "", /no-store, no-transform/u, path);
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/u, path);
  }
});

test("a malformed Authorization header is refused, and never treated as a request without a token [P6]", async () => {
  await using server = await httpServer();
  for (const authorization of ["Bearer", "Basic YTpi", "Bearer wrong"]) {
    const answer = await server.request("GET", "/v1/agents", { headers: { authorization } });
    assert.equal(answer.status, 401, authorization);
    assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/u);
  }
});
