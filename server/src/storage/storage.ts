/** The storage roots of this node, as operations use them. They are opened at the first use, or at the start. */
import type { StorageRoot } from "./storage-root.ts";

export class Storage {
  readonly #roots = new Map<string, StorageRoot>();
  #open: (() => Promise<void>) | undefined;
  #opened: Promise<void> | undefined;
  #onGarbage: () => void = () => undefined;

  /** The service of the roots attaches itself. Without it, this node has no roots. */
  attach(open: () => Promise<void>, onGarbage: () => void): void {
    this.#open = open;
    this.#onGarbage = onGarbage;
  }

  /** From here on this node has no roots. */
  detach(): void {
    this.#open = undefined;
    this.#opened = undefined;
    this.#roots.clear();
  }

  /** Resolves when the roots of this node are open and announced. After a failure the next call tries again. */
  async ready(): Promise<void> {
    if (this.#open === undefined) return;
    this.#opened ??= this.#open();
    try {
      await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  add(root: StorageRoot): void {
    this.#roots.set(root.name, root);
  }

  /** Undefined if this node does not have it. */
  root(name: string): StorageRoot | undefined {
    return this.#roots.get(name);
  }

  get roots(): readonly StorageRoot[] {
    return [...this.#roots.values()];
  }

  /** There may be folders to remove. */
  noteGarbage(): void {
    this.#onGarbage();
  }
}
