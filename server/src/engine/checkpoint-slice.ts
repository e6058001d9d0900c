import { engineLimits } from "./limits.ts";

/** Counts the rows and bytes of a slice. A slice ends with the row that reaches one of the two bounds. */
export class CheckpointSlice {
  #rows = 0;
  #bytes = 0;

  /** Adds a row. Returns the number of rows of the slice if this row ends it, and starts the next slice. */
  add(bytes: number): number | undefined {
    this.#rows += 1;
    this.#bytes += bytes;
    const isFull = this.#rows >= engineLimits.checkpointSliceRows || this.#bytes >= engineLimits.checkpointSliceBytes;
    if (!isFull) return undefined;
    const rows = this.#rows;
    this.#rows = 0;
    this.#bytes = 0;
    return rows;
  }
}
