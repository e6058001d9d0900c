import type { ClientClock } from "./client-clock.ts";
import type { BeatThread, Remote } from "./locks/heartbeats/heartbeats.ts";

/** Who runs this program, and where: a page is not told. */
export function agentName(): string {
  return "browser";
}

/** A page renews by its timers: they are late when its loop is blocked, or when it lies in the background. */
export function beatThread(_remote: Remote, _clock: ClientClock): BeatThread | undefined {
  return undefined;
}
