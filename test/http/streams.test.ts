/** Operations with binary bodies and streams, through every door. */
import assert from "node:assert/strict";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { connect } from "holdfast";
import type { CallReply } from "@holdfast/sdk";
import { routedOperations, routesOf } from "@holdfast/sdk/contract";
import { openApiOperation } from "../../server/src/doors/http/openapi/openapi-operation.ts";
import { operatorSecret } from "../access/gated-node.ts";
import { counts } from "../prove/counts.ts";
import { testEnvironment } from "../scenario/child-environment.ts";
import { spawnChild } from "../scenario/spawn-child.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { chunksOf, readFile, storeFile, streamDoor } from "./stream-door.ts";

const octets = { "content-type": "application/octet-stream" };

/** Polls until the condition holds, one turn of the event loop at a time. The timeout of the test limits it. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await loopTicks(1);
}

async function sizeOf(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.byteLength;
  return bytes;
}

function dataOf({ outcome }: CallReply): { readonly bytes?: number } {
  assert.equal(outcome.kind, "done", JSON.stringify(outcome));
  return outcome.data as { readonly bytes?: number };
}

test("a binary body reaches its operation, and a stream is answered whole, by range, by tag and for HEAD", async () => {
  await using door = await streamDoor();
  const text = "0123456789";
  const put = await door.fetch("/v1/test-files/a", { method: "PUT", headers: octets, body: text });
  assert.deepEqual([put.status, ((await put.json()) as { bytes: number }).bytes], [200, 10]);
  const whole = await door.fetch("/v1/test-files/a");
  const tag = whole.headers.get("etag") ?? "";
  assert.deepEqual(
    [whole.status, whole.headers.get("content-type"), whole.headers.get("content-length"), await whole.text()],
    [200, "application/x-test", "10", text],
  );
  const ranges: readonly (readonly [string, number, string | null, string | undefined])[] = [
    ["bytes=2-4", 206, "bytes 2-4/10", "234"],
    ["bytes=7-", 206, "bytes 7-9/10", "789"],
    ["bytes=-3", 206, "bytes 7-9/10", "789"],
    ["bytes=8-99", 206, "bytes 8-9/10", "89"],
    ["bytes=0-1,4-5", 200, null, text],
    ["lines=1-2", 200, null, text],
    ["bytes=5-2", 200, null, text],
    ["bytes=10-", 416, "bytes */10", undefined],
    ["bytes=-0", 416, "bytes */10", undefined],
  ];
  for (const [range, status, contentRange, body] of ranges) {
    const answer = await door.fetch("/v1/test-files/a", { headers: { range } });
    assert.deepEqual([answer.status, answer.headers.get("content-range")], [status, contentRange], range);
    const received = await answer.text();
    if (body === undefined) assert.equal((JSON.parse(received) as { code: string }).code, "range_not_satisfiable");
    else assert.equal(received, body, range);
  }
  const stale = await door.fetch("/v1/test-files/a", { headers: { range: "bytes=2-4", "if-range": '"other"' } });
  assert.deepEqual([stale.status, await stale.text()], [200, text]);
  const { openCount } = door.files;
  const known = await door.fetch("/v1/test-files/a", { headers: { "if-none-match": tag } });
  const head = await door.fetch("/v1/test-files/a", { method: "HEAD" });
  assert.deepEqual([known.status, head.status, head.headers.get("content-length")], [304, 200, "10"]);
  assert.equal(door.files.openCount, openCount, "neither opens the file");
  const missing = await door.fetch("/v1/test-files/b");
  assert.deepEqual([missing.status, ((await missing.json()) as { code: string }).code], [404, "entity_not_found"]);
  assert.deepEqual(door.reports, []);
});

test("the OpenAPI document shows binary bodies, streams and ranges", () => {
  const [put, get] = [storeFile, readFile]
    .flatMap((each) => routesOf(each))
    .map((routed) => openApiOperation(routed, 0));
  const bytes = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
  assert.deepEqual(put?.["requestBody"], { required: true, content: bytes });
  const responses = get?.["responses"] as Readonly<Record<string, { readonly content?: unknown } | undefined>>;
  assert.deepEqual([responses["200"]?.content, responses["206"]?.content], [bytes, bytes]);
  assert.ok(responses["304"] !== undefined && responses["416"] !== undefined);
});

test("a caller without the right is refused before any byte of its body is read", async () => {
  await using door = await streamDoor();
  const made = await door.inside.call(
    "create-token",
    { principal: "ann", allow: [{ under: "file/a", verbs: ["write"] }] },
    {},
  );
  const { secret } = dataOf(made) as { readonly secret: string };
  const { port } = new URL(door.url);
  const socket = connectSocket(Number(port), "127.0.0.1");
  const answered = new Promise<string>((resolve) => socket.once("data", (data) => resolve(data.toString())));
  const lines = [
    "PUT /v1/test-files/b HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${secret}`,
    "Content-Type: application/octet-stream",
    "Content-Length: 1000000",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\nfirst bytes`);
  assert.match(await answered, /^HTTP\/1\.1 403 [\s\S]*"code":"not_allowed"/u);
  socket.destroy();
  assert.equal(door.files.received, 0);
  const allowed = await door.fetch("/v1/test-files/a", {
    ...{ method: "PUT", body: "bytes" },
    headers: { ...octets, authorization: `Bearer ${secret}` },
  });
  assert.equal(allowed.status, 200);
  const json = await door.fetch("/v1/test-files/a", {
    ...{ method: "PUT", body: "{}" },
    headers: { "content-type": "application/json" },
  });
  assert.equal(json.status, 415, "the route takes bytes only");
});

test("the client sends bytes over HTTP, also with a socket, and other doors refuse the operation", async () => {
  await using door = await streamDoor();
  for (const transport of ["socket", "http"] as const) {
    await using client = await connect(door.url, { token: operatorSecret, transport, retry: false });
    const reply = await client.execute("store-file", { name: "c" }, { body: chunksOf(200_000) });
    assert.equal(dataOf(reply).bytes, 200_000);
    const { stream } = await client.execute("read-file", { name: "c" }, { acceptsStream: true });
    assert.ok(stream !== undefined);
    assert.deepEqual([stream.length, stream.contentType, stream.etag?.length], [200_000, "application/x-test", 8]);
    assert.equal(await sizeOf(stream.open()), 200_000);
    const ranged = await client.execute("read-file", { name: "c" }, { acceptsStream: true });
    assert.equal(await sizeOf(ranged.stream?.open({ start: 10, end: 30 }) ?? chunksOf(0)), 20);
    for (const operation of ["store-file", "read-file"]) {
      const { outcome } = await client.execute(operation, { name: "c" });
      assert.ok(outcome.kind === "refusal");
      assert.equal(outcome.code, "operation_needs_http", `${operation} over ${transport}`);
    }
    const unknown = await client.execute("no-such-operation", {}, { acceptsStream: true });
    assert.ok(unknown.outcome.kind === "refusal" && unknown.outcome.code === "operation_unknown");
  }
  const { stream } = await door.inside.call("read-file", { name: "c" }, {});
  assert.equal(await sizeOf(stream?.open() ?? chunksOf(0)), 200_000);
});

test("a stream route changes nothing for GET and HEAD, and no other route does for GET", async () => {
  await using door = await streamDoor();
  const input = encodeURIComponent(JSON.stringify({ type: "note", id: "1", value: {} }));
  const path = `/v1/streams/create-entity?input=${input}`;
  for (const method of ["GET", "HEAD"]) {
    const { status, headers } = await door.fetch(path, { method });
    assert.deepEqual([status, headers.get("allow")], [405, "POST"], method);
  }
  const { outcome } = await door.inside.call("get-entity", { type: "note", id: "1" }, {});
  assert.ok(outcome.kind === "refusal" && outcome.code === "entity_not_found");
  assert.equal((await door.fetch(path, { method: "POST" })).status, 200);
  assert.deepEqual(
    routedOperations.filter(({ route, operation }) => route.method === "GET" && operation.kind !== "read"),
    [],
  );
});

test("a body beyond the bound of its operation is refused with body_too_large, and one at the bound is stored", async () => {
  await using door = await streamDoor();
  const bytesMax = 8 * 1024 * 1024;
  await using client = await connect(door.url, { token: operatorSecret, transport: "http", retry: false });
  const stored = await client.execute("store-small-file", { name: "d" }, { body: chunksOf(bytesMax) });
  assert.equal(dataOf(stored).bytes, bytesMax);
  const { outcome } = await door.inside.call("store-small-file", { name: "d" }, { body: chunksOf(bytesMax + 1) });
  assert.ok(outcome.kind === "refusal");
  assert.deepEqual([outcome.code, outcome.data], ["body_too_large", { limit_bytes: bytesMax }]);
  assert.equal(door.files.handles.size, 0);
});

test("a slow reader stops the sender, and a client that disconnects leaves no handle open", async () => {
  await using door = await streamDoor();
  const bytes = 64 * 1024 * 1024;
  await door.inside.call("store-file", { name: "e" }, { body: chunksOf(bytes) });
  const { port } = new URL(door.url);
  const socket = connectSocket(Number(port), "127.0.0.1");
  const head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${operatorSecret}\r\n`;
  socket.pause();
  socket.write(`GET /v1/test-files/e HTTP/1.1\r\n${head}\r\n`);
  await until(() => door.files.sent > 0);
  // The kernel's buffers take some megabytes. After that nothing more is read from the file.
  let seen = -1;
  let stillTurns = 0;
  await until(() => {
    stillTurns = seen === door.files.sent ? stillTurns + 1 : 0;
    seen = door.files.sent;
    return stillTurns > 300;
  });
  assert.ok(door.files.sent < bytes / 2, `${String(door.files.sent)} bytes were read for a reader that read nothing`);
  socket.destroy();
  await until(() => door.files.handles.size === 0);
  const upload = connectSocket(Number(port), "127.0.0.1");
  upload.write(`PUT /v1/test-files/f HTTP/1.1\r\n${head}Content-Type: application/octet-stream\r\n`);
  upload.write("Content-Length: 1000000\r\n\r\nfirst bytes");
  await until(() => door.files.handles.size === 1);
  upload.destroy();
  await until(() => door.files.handles.size === 0);
});

test("an upload and a download of many megabytes cost the server no memory in proportion", async () => {
  await using door = await streamDoor();
  const bytes = counts.streamedMegabytes * 1024 * 1024;
  // The first transfer loads code and buffers, which stay.
  assert.equal((await transfer(door.url, 8 * 1024 * 1024)).received, 8 * 1024 * 1024);
  const before = process.memoryUsage.rss();
  door.files.peakBytes = 0;
  const { stored, received } = await transfer(door.url, bytes);
  assert.deepEqual([stored.bytes, received], [bytes, bytes]);
  const grownMb = (door.files.peakBytes - before) / 1024 / 1024;
  assert.ok(grownMb < 64, `${String(bytes)} bytes each way grew the server by ${grownMb.toFixed(0)} MB`);
});

interface Transferred {
  readonly stored: { readonly bytes: number };
  readonly received: number;
}

/** Sends and reads bytes in another process, so that this one has the memory of the server alone. */
async function transfer(url: string, bytes: number): Promise<Transferred> {
  const program = join(import.meta.dirname, "stream-client.ts");
  const child = spawnChild(process.execPath, [program, url, operatorSecret, String(bytes)], {
    env: testEnvironment({}),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const text = await new Response(Readable.toWeb(child.stdout) as ReadableStream).text();
  return JSON.parse(text) as Transferred;
}
