/** Open long responses, such as event streams and waits for a lock. Closing the door ends each in its own way. */
export class LongResponses {
  readonly #open = new Set<() => void>();
  #isClosing = false;

  /** True once the door closes. A long response must not start then. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** `end` is called once when the door closes. Returns the function to call when the response has ended by itself. */
  add(end: () => void): () => void {
    if (this.#isClosing) end();
    else this.#open.add(end);
    return () => {
      this.#open.delete(end);
    };
  }

  closeAll(): void {
    this.#isClosing = true;
    for (const end of this.#open) end();
    this.#open.clear();
  }
}
