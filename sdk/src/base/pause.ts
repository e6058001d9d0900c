/** The part of a clock that a pause needs. */
export interface Timers {
  /**
   * Calls back once later. Returns a function that cancels it. Only with `keepAlive` does it keep a process running.
   */
  after(delayMs: number, callback: () => void, options: { readonly keepAlive: boolean }): () => void;
}

interface PauseOptions {
  /** Whether it keeps the process running; it does if not given. */
  readonly keepAlive?: boolean;
  /** Ends the pause early. */
  readonly signal?: AbortSignal | undefined;
}

/** Resolves after a delay, or as soon as the signal aborts. */
export function pause(timers: Timers, delayMs: number, { keepAlive = true, signal }: PauseOptions = {}): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = timers.after(delayMs, end, { keepAlive });
    signal?.addEventListener("abort", end);
  });
}
