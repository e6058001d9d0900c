/** The socket door: frames of every kind, and bytes that are not frames. The next caller is always served. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect as connectTcp } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { allOperations } from "../../sdk/src/contract/index.ts";
import { serve } from "../../server/src/assembly/serve.ts";
import type { Random } from "../simulation/random.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { anyBytes, anyJson, anyNumber, anyText, damaged, deepText } from "./fuzz-values.ts";

const kinds = ["call", "watch", "listen", "agent", "more", "unwatch", "cursor", "ping", "hello", "bye"];
/** The messages of the server. Any other is not part of the protocol. */
const known = new Set(["welcome", "reply", "watching", "events", "ended", "cursor", "pong", "problem", "bye"]);
const operations = Object.keys(allOperations);
const frameBytesMax = 4 * 1_048_576;

function nearlyMessage(random: Random): unknown {
  const own = (make: () => unknown, share = 0.7): unknown => (random.chance(share) ? make() : anyJson(random, 2));
  const input = {
    type: own(() => random.pick(["plan", "note"])),
    id: own(() => random.pick(["1", "2", anyText(random)])),
    value: anyJson(random, 3),
    paths: own(() => [{ path: own(() => random.pick(["a", "a/b", anyText(random)])), mode: own(() => "write") }]),
    ttl_seconds: own(() => random.between(0, 5)),
    fence: own(() => random.pick(["1.1", "9.9"])),
    limit: own(() => anyNumber(random)),
  };
  const members = Object.entries(input).filter(() => random.chance(0.5));
  const message = {
    kind: own(() => random.pick(kinds), 0.95),
    id: own(() => random.below(20), 0.9),
    operation: own(() => random.pick(operations), 0.9),
    input: own(() => Object.fromEntries(members), 0.9),
    ...(random.chance(0.2) ? { key: own(() => `k${random.below(5)}`) } : {}),
    ...(random.chance(0.2) ? { as: own(() => random.below(3)) } : {}),
    ...(random.chance(0.2) ? { after: own(() => random.pick(["1.0", "1.99999", "9.9", "x"])) } : {}),
    ...(random.chance(0.1) ? { deadline_ms: anyNumber(random) } : {}),
    protocol: 1,
    agent: own(() => "nobody"),
    count: own(() => random.below(20)),
  };
  return message;
}

function frameOf(random: Random): string | Buffer {
  const messages = (): string =>
    JSON.stringify(Array.from({ length: random.pick([1, 3, 200]) }, () => nearlyMessage(random)));
  switch (random.weighed({ messages: 12, damaged: 5, json: 3, deep: 1, binary: 2, huge: 0.2 })) {
    case "messages":
      return messages();
    case "damaged":
      return damaged(random, messages());
    case "json":
      return JSON.stringify(anyJson(random));
    case "deep":
      return deepText(random, random.pick([60, 5_000, 200_000]));
    case "binary":
      return anyBytes(random, 200);
    case "huge":
      return `[${" ".repeat(frameBytesMax + random.between(-100, 100))}]`;
  }
}

/** Sends random messages until all are sent or the server closes the connection. */
async function sendRandomMessages(url: string, random: Random): Promise<void> {
  const socket = new WebSocket(`${url}/v1/socket`);
  const faults: string[] = [];
  socket.on("error", () => undefined);
  socket.on("message", (data: Buffer) => {
    const messages = JSON.parse(data.toString("utf8")) as readonly { kind: string }[];
    for (const { kind } of messages) if (!known.has(kind)) faults.push(kind);
  });
  const closed = once(socket, "close");
  await once(socket, "open");
  if (random.chance(0.9)) socket.send('[{"kind":"hello","protocol":1}]');
  for (let count = random.between(1, 6); count > 0; count -= 1) socket.send(frameOf(random));
  const answered = new Promise<void>((resolve) => {
    socket.on("message", (data: Buffer) => {
      if (data.includes('"id":987654')) resolve();
    });
  });
  socket.send('[{"kind":"hello","protocol":1},{"kind":"ping","id":987654}]');
  socket.send('[{"kind":"ping","id":987654}]');
  await Promise.race([answered, closed]);
  socket.terminate();
  assert.deepEqual(faults, []);
}

const handshake = [
  "GET /v1/socket HTTP/1.1",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];

/** Bytes below the protocol: frames with lengths, masks and bits that do not fit, and no end. */
async function sendInvalidFrames(url: string, random: Random): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket: Socket = connectTcp(Number(port), hostname);
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  await once(socket, "connect");
  const head = [...handshake, `Host: ${host}`, "", ""].join("\r\n");
  socket.write(random.chance(0.8) ? head : damaged(random, head));
  for (let count = random.between(1, 5); count > 0; count -= 1) {
    const payload = anyBytes(random, 120);
    const first = random.chance(0.6) ? 0x81 : random.below(256);
    const length = random.pick([0x80 | payload.length, payload.length, 0xfe, 0xff, random.below(256)]);
    socket.write(Buffer.concat([Buffer.from([first, length]), anyBytes(random, 9), payload]));
  }
  // Half of them just go silent, as a host does that lost its network; the others end what they began.
  if (random.chance(0.5)) socket.end();
  else socket.destroy();
  socket.resume();
  if (socket.destroyed) await closed;
  else {
    await Promise.race([closed, once(socket, "end")]);
    socket.destroy();
  }
}

/** An ordinary caller: connects, says hello, and is answered. */
async function probe(url: string): Promise<void> {
  const socket = new WebSocket(`${url}/v1/socket`);
  await once(socket, "open");
  socket.send('[{"kind":"hello","protocol":1},{"kind":"ping","id":1}]');
  for (;;) {
    const [data] = (await once(socket, "message")) as [Buffer];
    if (data.includes('"pong"')) break;
  }
  socket.terminate();
}

export const socketTarget: FuzzTarget = {
  name: "the socket",
  rounds: "socketFuzz",
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-fuzz-"));
    const reports: unknown[] = [];
    const report = (message: string, cause: unknown): void => void reports.push([message, cause]);
    const serving = await serve({ data: folder, host: "127.0.0.1", port: 0, report });
    return {
      round: async (random) => {
        await (random.chance(0.75) ? sendRandomMessages(serving.url, random) : sendInvalidFrames(serving.url, random));
        await probe(serving.url);
        assert.deepEqual(reports, [], "the server has nothing to report");
      },
      close: async () => {
        await serving.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};
