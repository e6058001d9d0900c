/** Time, and the only ways to wait for it. Simulation and tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970. It may jump, so it is for display and for seeding. */
  wallMs(): number;
  /** Milliseconds that only grow, from an arbitrary start. */
  monotonicMs(): number;
  /** Calls back once after a while. Returns the way to cancel. Only with `keepAlive` does it keep a process running. */
  after(delayMs: number, callback: () => void, options: { readonly keepAlive: boolean }): () => void;
  /** Calls back once what has arrived already is dealt with. */
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
