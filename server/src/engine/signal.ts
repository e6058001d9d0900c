/** Wakes all waiters. A signal carries no data. Each waiter checks the condition itself. */
export class Signal {
  #callbacks = new Set<() => void>();

  /** Calls back once, when the signal fires next. Returns a function that cancels. */
  onNext(callback: () => void): () => void {
    this.#callbacks.add(callback);
    return () => {
      this.#callbacks.delete(callback);
    };
  }

  /** Resolves when the signal fires next. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#callbacks.add(resolve);
    });
  }

  fire(): void {
    if (this.#callbacks.size === 0) return;
    const callbacks = this.#callbacks;
    this.#callbacks = new Set();
    for (const callback of callbacks) callback();
  }
}
