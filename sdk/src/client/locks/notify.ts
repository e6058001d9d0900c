import type { ClientClock } from "../client-clock.ts";

/**
 * Calls all listeners. One that throws must not keep the others from being called, nor a lock from being released. Its
 * error surfaces as from a listener of any other event.
 */
export function notify<Value>(listeners: Iterable<(value: Value) => void>, value: Value, clock: ClientClock): void {
  for (const listener of [...listeners]) {
    try {
      listener(value);
    } catch (error) {
      clock.soon(() => {
        throw error;
      });
    }
  }
}
