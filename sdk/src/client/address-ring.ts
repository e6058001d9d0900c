import { addressTexts } from "./address.ts";
import type { Address } from "./address.ts";

/**
 * The nodes that a client may speak to, and the one that it speaks to now. Each client starts with one by chance, so that
 * they spread over the nodes; when that one is gone, or can't work, the next one takes its place.
 */
export class AddressRing {
  readonly #addresses: readonly Address[];
  #index: number;

  constructor(addresses: readonly Address[], random: () => number) {
    this.#addresses = addresses;
    this.#index = Math.floor(random() * addresses.length);
  }

  get current(): Address {
    const address = this.#addresses[this.#index];
    if (address === undefined) throw new Error("a client needs an address");
    return address;
  }

  get size(): number {
    return this.#addresses.length;
  }

  /** The next one from now on. With one address that is the same again. */
  turn(): void {
    this.#index = (this.#index + 1) % this.#addresses.length;
  }

  /** Where no server answered, for the message. */
  where(why: string): { readonly url: string; readonly reason: string } {
    const plain = addressTexts(this.#addresses).join(", ");
    return { url: plain, reason: `${plain}, from ${this.current.from}: ${why}` };
  }
}

/** A node that answers with one of these can't work now; another one may. */
const elsewhere = new Set(["journal_unavailable", "stopping"]);

export function mayWorkElsewhere(code: string): boolean {
  return elsewhere.has(code);
}
