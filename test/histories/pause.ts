import { systemClock } from "../../server/src/base/clock.ts";

/** How long a fault lasts, or a client takes its time: part of what happens in a history, not a way to wait for it. */
export function pauseFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, resolve, { keepAlive: true });
  });
}
