/** The thread that sends the heartbeats of all agents of a program. It ends with the process, or on request. */
import { parentPort } from "node:worker_threads";
import { AddressRing } from "../../transport/address-ring.ts";
import { credentialsOf } from "../../transport/call-sender.ts";
import { systemClientClock } from "../../client-clock.ts";
import { SocketTransport } from "../../transport/socket-transport.ts";
import type { HeartbeatMember, HeartbeatOrder } from "./heartbeat-thread.node.ts";
import { TimedHeartbeats } from "./heartbeats.ts";
import type { HeartbeatResult, RemoteServer } from "./heartbeats.ts";
import { threadsClockMs } from "./threads-clock.node.ts";

const clock = { ...systemClientClock, monotonicMs: threadsClockMs };

/** A connection, and the number of agents that use it. */
interface Link {
  readonly transport: SocketTransport;
  memberCount: number;
}

const links = new Map<string, Link>();

/** Agents with the same servers and the same token share a connection. */
function linkTo({ urls, token }: RemoteServer): { readonly transport: SocketTransport; readonly leave: () => void } {
  const name = JSON.stringify([urls, token]);
  const link = links.get(name) ?? { transport: connectTo(urls, token), memberCount: 0 };
  links.set(name, link);
  link.memberCount += 1;
  return {
    transport: link.transport,
    leave: () => {
      link.memberCount -= 1;
      if (link.memberCount > 0) return;
      links.delete(name);
      void link.transport.close();
    },
  };
}

function connectTo(urls: readonly string[], token: string | undefined): SocketTransport {
  const addresses = urls.map((url) => ({ url: new URL(url), from: "the address of the client" }));
  const nodes = new AddressRing(addresses, () => clock.random());
  return new SocketTransport({ nodes, clock, reconnectMs: 30_000, token });
}

function startHeartbeats({ remote, port, ...identity }: HeartbeatMember): void {
  const { maxBlockedMs } = remote;
  const { transport, leave } = linkTo(remote);
  let lastMessageAtMs = threadsClockMs();
  const beats = new TimedHeartbeats({
    clock,
    onBeat: () => {
      for (const beat of beats.take()) port.postMessage(beat);
    },
    async send(): Promise<HeartbeatResult["refusal"]> {
      // A program that is stuck forever must not hold its locks forever.
      const isStuck = threadsClockMs() - lastMessageAtMs > maxBlockedMs;
      if (isStuck) return { code: "unreachable", data: { reason: "the loop is blocked" } };
      const { outcome } = await transport.call("heartbeat", {}, credentialsOf(identity));
      return outcome.kind === "done" ? undefined : outcome;
    },
  });
  port.on("message", ({ intervalMs }: HeartbeatOrder) => {
    lastMessageAtMs = threadsClockMs();
    if (intervalMs !== undefined) beats.pace(intervalMs ?? undefined);
  });
  port.on("close", () => {
    beats.stop();
    leave();
  });
}

parentPort?.on("message", startHeartbeats);
