/** Number of open things by key. A key without any has no entry. */
export class OpenCounts {
  readonly #counts = new Map<string, number>();

  count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Counts one more. Returns the function to end it, which counts once. */
  open(key: string): () => void {
    this.#counts.set(key, this.count(key) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const remaining = this.count(key) - 1;
      if (remaining === 0) this.#counts.delete(key);
      else this.#counts.set(key, remaining);
    };
  }
}
