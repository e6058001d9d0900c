import { relativeTime } from "../terminal/relative-time.ts";

/** A sentence about the next time of a schedule. */
export function nextRun(next: string | null, nowMs: number): string {
  return next === null ? "It is paused." : `Its next run is at ${next} (${relativeTime(next, nowMs)}).`;
}
