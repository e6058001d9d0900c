import { hostname, userInfo } from "node:os";
import process from "node:process";
import type { ClientClock } from "../client-clock.ts";
import type { HeartbeatThread, RemoteServer } from "../locks/heartbeats/heartbeats.ts";
import { startHeartbeatThread } from "../locks/heartbeats/heartbeat-thread.node.ts";

/** The user and host of this program: the default name of an agent. */
export function hostAgentName(): string {
  return `${userName()}@${hostname()}:${process.pid}`.slice(0, 500);
}

/** A process may run under a user id without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "user");
  }
}

/** Heartbeats that do not depend on the event loop of the program. */
export function hostHeartbeatThread(remote: RemoteServer, clock: ClientClock): HeartbeatThread | undefined {
  return startHeartbeatThread(remote, clock);
}
