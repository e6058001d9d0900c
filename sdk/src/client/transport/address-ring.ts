import { addressTexts } from "./address.ts";
import type { Address } from "./address.ts";

/**
 * The nodes that a client knows, and the one that it uses. Each client starts with a random one, so that clients spread
 * over the nodes. When that node is gone or cannot work, the client uses the next one.
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
    if (address === undefined) throw new Error("The list of addresses is empty. A client needs at least one.");
    return address;
  }

  get size(): number {
    return this.#addresses.length;
  }

  /** Moves to the next node. With one address this is the same node. */
  advance(): void {
    this.#index = (this.#index + 1) % this.#addresses.length;
  }

  /** The addresses that did not answer and the reason, for the message. */
  failure(why: string): { readonly url: string; readonly reason: string } {
    const urls = addressTexts(this.#addresses).join(", ");
    return { url: urls, reason: `${urls}, from ${this.current.from}: ${why}` };
  }
}

/** Codes of a node that cannot work at the moment, while another may. */
const nodeFailures = new Set(["journal_unavailable", "stopping"]);

export function mayWorkElsewhere(code: string): boolean {
  return nodeFailures.has(code);
}
