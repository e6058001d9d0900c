import { systemClock } from "../../server/src/base/clock.ts";

/** The duration of a fault or of a client's work. It is part of the history, not a way to wait for an event. */
export function pauseFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, resolve, { keepAlive: true });
  });
}
