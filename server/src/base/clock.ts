/** The source of time and timers. The simulation and the tests use their own. */
export interface Clock {
  /** Milliseconds since 1970. The value may jump, so use it only for display and for seeding. */
  wallMs(): number;
  /** Milliseconds since an arbitrary start. The value never decreases. */
  monotonicMs(): number;
  /** Calls back once after a delay. Returns a function that cancels it. Only `keepAlive` keeps the process running. */
  after(delayMs: number, callback: () => void, options: { readonly keepAlive: boolean }): () => void;
  /** Calls back once after the events that are already in the event loop. */
  soon(callback: () => void): void;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback, { keepAlive }) {
    const timer = setTimeout(callback, delayMs);
    if (!keepAlive) timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
  soon(callback) {
    setImmediate(callback);
  },
};
