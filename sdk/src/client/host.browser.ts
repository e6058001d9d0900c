import type { ClientClock } from "./client-clock.ts";
import type { BeatThread, Remote } from "./locks/heartbeats/heartbeats.ts";

/** The user and host of this program. A page cannot know them. */
export function agentName(): string {
  return "browser";
}

/** A page renews leases by timers. They are late when its loop is blocked or the page is in the background. */
export function beatThread(_remote: Remote, _clock: ClientClock): BeatThread | undefined {
  return undefined;
}
