import type { Timers } from "../base/pause.ts";

/** Time and randomness of a client, and the only place of the sdk that makes them. Tests pass their own. */
export interface ClientClock extends Timers {
  /** Monotonic milliseconds from an arbitrary start. */
  monotonicMs(): number;
  /** Milliseconds since 1970, for display, and to detect that the host slept while the monotonic clock stopped. */
  wallMs(): number;
  /** Calls back at the end of this tick, so that calls of one tick share a frame. */
  soon(callback: () => void): void;
  /** A number from 0 up to, and not including, 1. */
  random(): number;
  /** A unique id. */
  unique(): string;
}

/** With setImmediate, all calls that the replies of one frame cause share one frame too. */
const nextTurn = (globalThis as { setImmediate?: (callback: () => void) => void }).setImmediate ?? queueMicrotask;

/** A longer timer would fire at once. */
const timerMaxMs = 2 ** 31 - 1;

/** One random prefix per client plus a counter. Randomness per id would cost more than a call. */
const idPrefix = [...crypto.getRandomValues(new Uint8Array(16))]
  .map((byte) => byte.toString(16).padStart(2, "0"))
  .join("");
let count = 0;

export const systemClientClock: ClientClock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after(delayMs, callback, { keepAlive }) {
    const timer: unknown = setTimeout(callback, Math.min(delayMs, timerMaxMs));
    // In Node a timer is an object that can let the process end. In a browser it is a number.
    if (!keepAlive && typeof timer === "object") (timer as { unref?(): void }).unref?.();
    return () => {
      clearTimeout(timer as number);
    };
  },
  soon(callback) {
    nextTurn(callback);
  },
  random: () => Math.random(),
  unique: () => `${idPrefix}-${String((count += 1))}`,
};
