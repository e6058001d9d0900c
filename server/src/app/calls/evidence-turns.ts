interface SerialTurn {
  sharedCount: number;
  isExclusive: boolean;
  /** Calls that wait, in order. */
  readonly waiting: { readonly isExclusive: boolean; readonly start: () => void }[];
}

/** The turns of calls that gather evidence on this node: one at a time per key, and the last round alone per serial. */
export class EvidenceTurns {
  readonly #keys = new Map<string, Promise<void>>();
  readonly #serials = new Map<string, SerialTurn>();

  /** Waits until no other call gathers evidence for this key. Returns the end of the turn. */
  async takeKey(scope: string): Promise<() => void> {
    for (let other = this.#keys.get(scope); other !== undefined; other = this.#keys.get(scope)) await other;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#keys.set(scope, promise);
    return () => {
      this.#keys.delete(scope);
      resolve(undefined);
    };
  }

  /** Waits while another call has the serial alone. With `isExclusive`, waits until no other call has it. */
  async takeSerial(serial: string, { isExclusive }: { readonly isExclusive: boolean }): Promise<() => void> {
    const turn = this.#serials.get(serial) ?? { sharedCount: 0, isExclusive: false, waiting: [] };
    this.#serials.set(serial, turn);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    turn.waiting.push({
      isExclusive,
      start: () => {
        resolve(undefined);
      },
    });
    this.#startNext(serial, turn);
    await promise;
    return () => {
      if (isExclusive) turn.isExclusive = false;
      else turn.sharedCount -= 1;
      this.#startNext(serial, turn);
    };
  }

  #startNext(serial: string, turn: SerialTurn): void {
    for (let next = turn.waiting[0]; next !== undefined && !turn.isExclusive; next = turn.waiting[0]) {
      if (next.isExclusive && turn.sharedCount > 0) return;
      turn.waiting.shift();
      if (next.isExclusive) turn.isExclusive = true;
      else turn.sharedCount += 1;
      next.start();
    }
    if (turn.sharedCount === 0 && !turn.isExclusive) this.#serials.delete(serial);
  }
}
