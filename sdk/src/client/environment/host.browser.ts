import type { ClientClock } from "../client-clock.ts";
import type { HeartbeatThread, RemoteServer } from "../locks/heartbeats/heartbeats.ts";

/** The user and host of this program. A page cannot know them. */
export function hostAgentName(): string {
  return "browser";
}

/** A page renews leases by timers. They are late when its loop is blocked or the page is in the background. */
export function hostHeartbeatThread(_remote: RemoteServer, _clock: ClientClock): HeartbeatThread | undefined {
  return undefined;
}
