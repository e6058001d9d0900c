import { hostname, userInfo } from "node:os";
import process from "node:process";
import type { ClientClock } from "./client-clock.ts";
import type { BeatThread, Remote } from "./locks/heartbeats/heartbeats.ts";
import { startBeatThread } from "./locks/heartbeats/heartbeat-thread.node.ts";

/** The user and host of this program: the default name of an agent. */
export function agentName(): string {
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
export function beatThread(remote: Remote, clock: ClientClock): BeatThread | undefined {
  return startBeatThread(remote, clock);
}
