/**
 * Reproducible randomness: the same seed gives the same numbers on every host. This is sfc32, a small generator with
 * 128 bits of state that passes the usual statistical suites. Nothing here is secret, so a stronger generator is not
 * needed.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 0x1_0000_0000) | 0;
    this.#c = 0x9e37_79b9;
    // Seeds that differ in one bit start with similar numbers. These rounds remove the similarity.
    for (let round = 0; round < 16; round += 1) this.bits();
  }

  /** A whole number from 0 to 2^32 - 1. */
  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number {
    return this.bits() / 0x1_0000_0000;
  }

  /** A whole number from 0 (inclusive) to the bound (exclusive). */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  /** A whole number in this range, both ends included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<One>(list: readonly One[]): One {
    return list[this.below(list.length)] as One;
  }

  /** One of the names, with a probability proportional to its weight. */
  weighed<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Name[];
    let left = this.fraction() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    return names[0] as Name;
  }

  /** The same names with weights that differ between seeds: high for some, zero for others. */
  unevenly<Name extends string>(weights: Readonly<Record<Name, number>>): Record<Name, number> {
    const uneven = { ...weights } as Record<Name, number>;
    for (const name of Object.keys(weights) as Name[]) uneven[name] *= this.pick([0, 0.5, 1, 1, 3]);
    return uneven;
  }
}
