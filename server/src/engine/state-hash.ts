import { hash } from "node:crypto";

const modulus = 1n << 256n;

/**
 * The hash of a whole state: the sum of the hashes of its rows. It does not depend on their order. An update costs as much
 * as the changed rows, so a state of millions of rows can be compared every few thousand entries.
 */
export class StateHash {
  #sum: bigint;

  constructor(text: string = StateHash.empty) {
    this.#sum = BigInt(`0x${text}`);
  }

  static readonly empty = "0".repeat(64);

  /** Adds a row, as the line that a checkpoint stores. */
  add(table: string, line: string): void {
    this.#sum = (this.#sum + rowHash(table, line)) % modulus;
  }

  remove(table: string, line: string): void {
    this.#sum = (this.#sum + modulus - rowHash(table, line)) % modulus;
  }

  get text(): string {
    return this.#sum.toString(16).padStart(64, "0");
  }
}

function rowHash(table: string, line: string): bigint {
  return BigInt(`0x${hash("sha256", `${table}\n${line}`, "hex")}`);
}
