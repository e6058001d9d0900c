/** Answers that take long, as streams of events and waits for a lock do. Closing the door ends them all, each in its own way. */
export class Endings {
  readonly #open = new Set<() => void>();
  #isClosing = false;

  /** True once the door closes: nothing that takes long begins any more. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** `end` is called once when the door closes. Returns the way to say that it has ended by itself. */
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
