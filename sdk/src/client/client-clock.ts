/** Time and chance for a client, and the only place of the sdk that makes them. Tests bring their own. */
export interface ClientClock {
  /** Milliseconds that only grow, from an arbitrary start. */
  monotonicMs(): number;
  /** Calls back once after a while. Returns the way to cancel. Only with `keepAlive` does it keep a process running. */
  after(delayMs: number, callback: () => void, options: { readonly keepAlive: boolean }): () => void;
  /** Calls back once everything that happens in this moment has happened, so that what belongs together goes together. */
  soon(callback: () => void): void;
  /** A number from 0 up to, and not including, 1. */
  random(): number;
  /** An id that nobody else has. */
  unique(): string;
}

/** Where there is setImmediate, all that the answers in one frame lead to goes into one frame too. */
const nextTurn = (globalThis as { setImmediate?: (callback: () => void) => void }).setImmediate ?? queueMicrotask;

export const systemClientClock: ClientClock = {
  monotonicMs: () => performance.now(),
  after(delayMs, callback, { keepAlive }) {
    const timer: unknown = setTimeout(callback, delayMs);
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
  // Not randomUUID: browsers have that only on pages from https.
  unique: () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
};
