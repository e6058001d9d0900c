/** Wakes everybody who waits for something to happen. Nobody is handed anything: each looks for itself. */
export class Signal {
  #waiting = new Set<() => void>();

  /** Calls back once, the next time. Returns the way to stop waiting. */
  onNext(callback: () => void): () => void {
    this.#waiting.add(callback);
    return () => {
      this.#waiting.delete(callback);
    };
  }

  /** Resolves the next time. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
    });
  }

  fire(): void {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const callback of waiting) callback();
  }
}
