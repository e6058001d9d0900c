import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { holdfast } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

const clientCount = 200;

/** Badly behaved clients. Each kind stays connected until the server or the test closes its connection. */
const behaviours: readonly ((socket: Socket, host: string) => void)[] = [
  // Sends nothing.
  () => undefined,
  // Begins a request and never ends its headers.
  (socket, host) => void socket.write(`POST /v1/commands HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `),
  // Announces a body and sends only a part of it.
  (socket, host) => {
    const headers = `Host: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100000`;
    socket.write(`POST /v1/commands HTTP/1.1\r\n${headers}\r\n\r\n{`);
  },
  // Requests all events and reads none of them.
  (socket, host) => {
    socket.pause();
    socket.write(`GET /v1/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  },
  // Disconnects in the middle of a word.
  (socket) => {
    socket.write("GET /v1/lo");
    socket.resetAndDestroy();
  },
];

async function connectClients(url: string): Promise<readonly Socket[]> {
  const { hostname, port, host } = new URL(url);
  return Promise.all(
    Array.from({ length: clientCount }, async (_, number) => {
      const socket = connectTcp(Number(port), hostname);
      socket.on("error", () => undefined);
      await once(socket, "connect");
      behaviours[number % behaviours.length]?.(socket, host);
      return socket;
    }),
  );
}

/** Runs `count` lock cycles in sequence. Returns the duration that 19 of 20 cycles stay below. */
async function cycles(client: Client, name: string, count: number): Promise<number> {
  const took: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const begin = performance.now();
    await using lock = await client.tryAcquire(`crowd/${name}`, { waitMs: 0 });
    assert.ok(lock.granted);
    took.push(performance.now() - begin);
  }
  return took.toSorted((a, b) => a - b)[Math.floor(count * 0.95)] ?? Infinity;
}

test(
  "a client gets its locks promptly while 200 other clients send nothing, send slowly, stall or disconnect",
  inEmptyFolder(async (folder) => {
    const program = holdfast(folder, "up --json");
    const { url } = JSON.parse(await program.line(/"event":"up"/)) as { url: string };
    const clients = await Promise.all(Array.from({ length: 5 }, () => connect(url)));
    const work = (count: number) => Promise.all(clients.map((client, number) => cycles(client, String(number), count)));
    await work(20);
    const sockets = await connectClients(url);
    const slowest = Math.max(...(await work(100)));
    // On loopback a cycle takes a few milliseconds. A full second would mean that a cycle waited for the other clients.
    assert.ok(slowest < 1_000, `19 of 20 locks needed up to ${String(slowest)} ms`);
    const { status } = await fetch(`${url}/health`);
    assert.equal(status, 200);
    for (const socket of sockets) socket.destroy();
    await Promise.all(clients.map((client) => client.close()));
    program.signal("SIGTERM");
    const { code } = await program.ended;
    assert.equal(code, 0, "it stops cleanly");
  }),
);
