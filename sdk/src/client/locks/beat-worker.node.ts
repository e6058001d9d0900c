/** The thread that sends heartbeats. It ends with the process, or when it is told to. */
import { workerData } from "node:worker_threads";
import { AddressRing } from "../address-ring.ts";
import { credentialsOf } from "../caller.ts";
import { systemClientClock } from "../client-clock.ts";
import { SocketTransport } from "../socket-transport.ts";
import type { BeatWorkerData, BeatWorkerOrder } from "./beat-thread.node.ts";
import { TimedBeats } from "./beats.ts";
import type { Beat } from "./beats.ts";
import { threadsMs } from "./threads-clock.node.ts";

const { urls, token, maxBlockedMs, port, ...identity } = workerData as BeatWorkerData;
const clock = { ...systemClientClock, monotonicMs: threadsMs };
const addresses = urls.map((url) => ({ url: new URL(url), from: "the address of the client" }));
const transport = new SocketTransport({
  nodes: new AddressRing(addresses, () => clock.random()),
  clock,
  reconnectMs: 30_000,
  ...(token === undefined ? {} : { token }),
});
let heardAtMs = threadsMs();

const beats = new TimedBeats({
  clock,
  onBeat: () => {
    for (const beat of beats.take()) port.postMessage(beat);
  },
  async send(): Promise<Beat["refusal"]> {
    // A program that is stuck for ever must not hold its locks for ever.
    if (threadsMs() - heardAtMs > maxBlockedMs) return { code: "unreachable", data: { reason: "the loop is blocked" } };
    const { outcome } = await transport.call("heartbeat", {}, credentialsOf(identity));
    return outcome.kind === "done" ? undefined : outcome;
  },
});

port.on("message", (order: BeatWorkerOrder) => {
  heardAtMs = threadsMs();
  const { intervalMs } = order;
  if (intervalMs !== undefined) beats.pace(intervalMs ?? undefined);
});
