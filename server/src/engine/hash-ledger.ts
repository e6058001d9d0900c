/** The state of this replica differs from the hash in the journal. The node must stop, because its decisions are unreliable. */
class ReplicaDiffersError extends Error {
  override readonly name = "ReplicaDiffersError";
}

/** Maximum number of hashes that wait for their counterpart, on either side. */
const positionsMax = 64;

/** Compares the hashes that this node computes with those that the journal records. Either may arrive first. */
export class HashLedger {
  readonly #own = new Map<number, string>();
  readonly #recorded = new Map<number, string>();

  /** Returns true if this node has not read a recorded hash of this position yet. */
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
      `at position ${String(position)} the state of this node has the hash ${own}, but the journal records ${recorded}. Run "holdfast verify", and compare the versions of the nodes`,
    );
  }
}

function keep(hashes: Map<number, string>, position: number, hash: string): void {
  hashes.set(position, hash);
  const oldest = hashes.keys().next();
  if (hashes.size > positionsMax && oldest.done !== true) hashes.delete(oldest.value);
}
