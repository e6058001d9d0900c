import { hostname, userInfo } from "node:os";
import process from "node:process";
import type { ClientClock } from "./client-clock.ts";
import type { BeatThread, Remote } from "./locks/heartbeats/heartbeats.ts";
import { startBeatThread } from "./locks/heartbeats/heartbeat-thread.node.ts";

/** Who runs this program, and where: the name of an agent that did not say its own. */
export function agentName(): string {
  return `${userName()}@${hostname()}:${process.pid}`.slice(0, 500);
}

/** A process may run under a number that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "user");
  }
}

/** Heartbeats that do not depend on the loop of the program. */
export function beatThread(remote: Remote, clock: ClientClock): BeatThread | undefined {
  return startBeatThread(remote, clock);
}
