/** The verifications of one program: one runs, and equal ones that wait are one. */
import type { Outcome } from "../../../machine/entry.ts";

interface Verification {
  /** Equal names verify the same functions. */
  readonly name: string;
  /** The position of this moment. */
  readonly position: () => number;
  readonly verify: () => Promise<Outcome>;
  /** Called when none runs and none waits. */
  readonly idle: () => void;
}

interface WaitingVerification {
  readonly outcome: Promise<Outcome>;
  readonly start: () => void;
}

export class Verifications {
  #running: { readonly name: string; readonly position: number; readonly outcome: Promise<Outcome> } | undefined;
  readonly #waiting = new Map<string, WaitingVerification>();

  run(wanted: Verification): Promise<Outcome> {
    const { name, position } = wanted;
    const running = this.#running;
    if (running === undefined) return this.#start(wanted);
    if (running.name === name && running.position === position()) return running.outcome;
    const waiting = this.#waiting.get(name) ?? this.#wait(wanted);
    return waiting.outcome;
  }

  #wait(wanted: Verification): WaitingVerification {
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
    const start = (): void => {
      resolve(this.#start(wanted));
    };
    const waiting = { outcome, start };
    this.#waiting.set(wanted.name, waiting);
    return waiting;
  }

  #start({ name, position, verify, idle }: Verification): Promise<Outcome> {
    const outcome = verify().finally(() => {
      this.#running = undefined;
      const [next] = this.#waiting;
      if (next === undefined) {
        idle();
        return;
      }
      this.#waiting.delete(next[0]);
      next[1].start();
    });
    this.#running = { name, position: position(), outcome };
    return outcome;
  }
}
