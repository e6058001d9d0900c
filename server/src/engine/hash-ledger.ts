/** A replica whose state is not what the journal says it must be. It must stop: its decisions can't be trusted. */
export class ReplicaDiffersError extends Error {
  override readonly name = "ReplicaDiffersError";
}

/** How many positions are remembered on either side, until the other side comes. */
const positionsMax = 64;

/** Compares the hashes that this node computes with those that the journal records, whichever comes first. */
export class HashLedger {
  readonly #own = new Map<number, string>();
  readonly #recorded = new Map<number, string>();

  /** True if the journal has no hash of this position yet, as far as this node knows. */
  noteOwn(position: number, hash: string): boolean {
    keep(this.#own, position, hash);
    this.#compare(position);
    return !this.#recorded.has(position);
  }

  noteRecorded(position: number, hash: string): void {
    keep(this.#recorded, position, hash);
    this.#compare(position);
  }

  clear(): void {
    this.#own.clear();
    this.#recorded.clear();
  }

  #compare(position: number): void {
    const own = this.#own.get(position);
    const recorded = this.#recorded.get(position);
    if (own === undefined || recorded === undefined || own === recorded) return;
    throw new ReplicaDiffersError(
      `at position ${String(position)} this node's state has the hash ${own}, the journal says ${recorded}`,
    );
  }
}

function keep(hashes: Map<number, string>, position: number, hash: string): void {
  hashes.set(position, hash);
  const oldest = hashes.keys().next();
  if (hashes.size > positionsMax && oldest.done !== true) hashes.delete(oldest.value);
}
