/**
 * The places for parts of files in memory. A slow sender keeps its place until its whole part has arrived. So one principal
 * never has all places, and its senders wait while those of others continue.
 */
import { partLimits } from "./part-limits.ts";

interface WaitingPart {
  readonly principal: string;
  readonly start: () => void;
}

export class PartPlaces {
  readonly #held = new Map<string, number>();
  readonly #waiting: WaitingPart[] = [];
  #free: number = partLimits.partsMax;

  /** Waits for a place, in the order of arrival, and keeps it during the call. */
  async use<Result>(principal: string, act: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((start) => {
      this.#waiting.push({ principal, start });
      this.#startNext();
    });
    try {
      return await act();
    } finally {
      this.#release(principal);
    }
  }

  #startNext(): void {
    while (this.#free > 0) {
      const index = this.#waiting.findIndex(
        ({ principal }) => this.#heldBy(principal) < partLimits.partsOfPrincipalMax,
      );
      const next = index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
      if (next === undefined) return;
      this.#free -= 1;
      this.#held.set(next.principal, this.#heldBy(next.principal) + 1);
      next.start();
    }
  }

  #heldBy(principal: string): number {
    return this.#held.get(principal) ?? 0;
  }

  #release(principal: string): void {
    const left = this.#heldBy(principal) - 1;
    if (left === 0) this.#held.delete(principal);
    else this.#held.set(principal, left);
    this.#free += 1;
    this.#startNext();
  }
}
