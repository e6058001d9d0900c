import type { ClientClock } from "../client-clock.ts";

/**
 * Tells all who listen. One that throws must not keep the others from hearing it, nor a lock from being given back: its
 * error is the program's own, and comes up as it does from a listener of any other event.
 */
export function tell<What>(listeners: Iterable<(what: What) => void>, what: What, clock: ClientClock): void {
  for (const listener of [...listeners]) {
    try {
      listener(what);
    } catch (error) {
      clock.soon(() => {
        throw error;
      });
    }
  }
}
