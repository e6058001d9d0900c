import { hash } from "node:crypto";

const firstSlots = 1 << 12;
const wordsPerSlot = 4;

/**
 * The keys that a history used, stored as 16 bytes of their hash each. A history of ten million keyed commands takes 300 to
 * 600 MB. A Set of texts would take three times as much and reach its size limit.
 */
export class KeySet {
  #slots = new Uint32Array(firstSlots * wordsPerSlot);
  #size = 0;

  /** Returns false if the set already holds the key. */
  add(scope: string): boolean {
    const digits = hash("sha256", scope, "hex");
    // The first word is never 0, because 0 marks a free slot.
    const words = Uint32Array.of(wordAt(digits, 0) | 1, wordAt(digits, 1), wordAt(digits, 2), wordAt(digits, 3));
    if (!this.#put(words)) return false;
    this.#size += 1;
    if (this.#size * 2 > this.#slots.length / wordsPerSlot) this.#grow();
    return true;
  }

  #put(words: Uint32Array): boolean {
    const slots = this.#slots;
    // The low bit of the first word is constant, so the second word selects the slot.
    let at = ((words[1] ?? 0) * wordsPerSlot) % slots.length;
    while (slots[at] !== 0) {
      if (words.every((word, index) => slots[at + index] === word)) return false;
      at = (at + wordsPerSlot) % slots.length;
    }
    slots.set(words, at);
    return true;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += wordsPerSlot) {
      if (old[at] !== 0) this.#put(old.subarray(at, at + wordsPerSlot));
    }
  }
}

function wordAt(digits: string, index: number): number {
  return Number.parseInt(digits.slice(8 * index, 8 * index + 8), 16);
}
