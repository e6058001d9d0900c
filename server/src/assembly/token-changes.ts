import type { Engine } from "../engine/engine.ts";
import type { Subscription } from "../engine/subscription.ts";

/**
 * Notifies subscribers of a changed token, or of a changed history in which tokens were created. It follows the journal
 * only while there are subscribers.
 */
export class TokenChanges {
  readonly #engine: Engine;
  readonly #callbacks = new Set<() => void>();
  #subscription: Subscription | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  onChange(callback: () => void): () => void {
    // Two subscribers may pass the same function.
    const subscriber = (): void => callback();
    this.#callbacks.add(subscriber);
    this.#follow();
    return () => {
      this.#callbacks.delete(subscriber);
      if (this.#callbacks.size > 0) return;
      void this.#subscription?.return();
      this.#subscription = undefined;
    };
  }

  #follow(): void {
    if (this.#subscription !== undefined) return;
    const subscription = this.#engine.subscribe(this.#engine.head.position);
    this.#subscription = subscription;
    void this.#pump(subscription);
  }

  async #pump(subscription: Subscription): Promise<void> {
    let isLost = false;
    try {
      for await (const entries of subscription) {
        // A created token too: a repeated request gives it a new secret, and the old one becomes invalid.
        if (entries.some(({ events }) => events.some(({ type }) => type.startsWith("token.")))) this.#notify();
      }
    } catch {
      isLost = true;
    }
    if (this.#subscription !== subscription) return;
    this.#subscription = undefined;
    // A stopping node ends its watches by itself. One that lost its history continues with the new one.
    if (!isLost || this.#callbacks.size === 0) return;
    this.#follow();
    // If the state cannot be folded again, every token is invalid on this node.
    await this.#engine.read(() => undefined).catch(() => undefined);
    this.#notify();
  }

  #notify(): void {
    for (const callback of [...this.#callbacks]) callback();
  }
}
