import type { Timers } from "../base/pause.ts";

/** Time and chance for a client, and the only place of the sdk that makes them. Tests bring their own. */
export interface ClientClock extends Timers {
  /** Milliseconds that only grow, from an arbitrary start. */
  monotonicMs(): number;
  /** Milliseconds since 1970: for display, and to notice that a computer slept while the other clock stood still. */
  wallMs(): number;
  /** Calls back once everything that happens in this moment has happened, so that what belongs together goes together. */
  soon(callback: () => void): void;
  /** A number from 0 up to, and not including, 1. */
  random(): number;
  /** An id that nobody else has. */
  unique(): string;
}

/** Where there is setImmediate, all that the answers in one frame lead to goes into one frame too. */
const nextTurn = (globalThis as { setImmediate?: (callback: () => void) => void }).setImmediate ?? queueMicrotask;

/** Longer timers would ring at once. */
const timerMaxMs = 2 ** 31 - 1;

/** Chance makes this client's ids its own once, and counting does the rest: chance for each would cost more than a call. */
const chosen = [...crypto.getRandomValues(new Uint8Array(16))]
  .map((byte) => byte.toString(16).padStart(2, "0"))
  .join("");
let count = 0;

export const systemClientClock: ClientClock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after(delayMs, callback, { keepAlive }) {
    const timer: unknown = setTimeout(callback, Math.min(delayMs, timerMaxMs));
    // Node has objects here that can let a process end; a browser has numbers.
    if (!keepAlive && typeof timer === "object") (timer as { unref?(): void }).unref?.();
    return () => {
      clearTimeout(timer as number);
    };
  },
  soon(callback) {
    nextTurn(callback);
  },
  random: () => Math.random(),
  unique: () => `${chosen}-${String((count += 1))}`,
};
