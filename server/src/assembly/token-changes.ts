import type { Engine } from "../engine/engine.ts";
import type { Subscription } from "../engine/subscription.ts";

/**
 * Tells whoever asked that something happened to a token, or that the history in which tokens were made is another one. It follows
 * the journal only while somebody asks.
 */
export class TokenChanges {
  readonly #engine: Engine;
  readonly #callbacks = new Set<() => void>();
  #subscription: Subscription | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  onChange(callback: () => void): () => void {
    // Two may bring the same function.
    const own = (): void => callback();
    this.#callbacks.add(own);
    this.#follow();
    return () => {
      this.#callbacks.delete(own);
      if (this.#callbacks.size > 0) return;
      void this.#subscription?.return();
      this.#subscription = undefined;
    };
  }

  #follow(): void {
    if (this.#subscription !== undefined) return;
    const subscription = this.#engine.subscribe(this.#engine.head.position);
    this.#subscription = subscription;
    void this.#read(subscription);
  }

  async #read(subscription: Subscription): Promise<void> {
    let isLost = false;
    try {
      for await (const entries of subscription) {
        // Also one that is made: asking for it again gives it a new secret, and the old one is void.
        if (entries.some(({ events }) => events.some(({ type }) => type.startsWith("token.")))) this.#tell();
      }
    } catch {
      isLost = true;
    }
    if (this.#subscription !== subscription) return;
    this.#subscription = undefined;
    // A node that stops ends its watches by itself. One that lost its history goes on with another.
    if (!isLost || this.#callbacks.size === 0) return;
    this.#follow();
    // If the state does not come back, nobody's token is good here any more.
    await this.#engine.read(() => undefined).catch(() => undefined);
    this.#tell();
  }

  #tell(): void {
    for (const callback of [...this.#callbacks]) callback();
  }
}
