/** Wakes all waiters. A signal carries no data. Each waiter checks the condition itself. */
export class Signal {
  #waiting = new Set<() => void>();

  /** Calls back once, when the signal fires next. Returns a function that cancels. */
  onNext(callback: () => void): () => void {
    this.#waiting.add(callback);
    return () => {
      this.#waiting.delete(callback);
    };
  }

  /** Resolves when the signal fires next. */
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
