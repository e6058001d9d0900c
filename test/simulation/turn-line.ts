import { outside, type VirtualTime } from "./virtual-time.ts";

/** Who has the turn and sleeps is cut off by the server after so long. */
const turnMs = 500;

interface Waiter {
  readonly owner: string;
  readonly grant: () => void;
}

/** The turns at the head of the common journal: one process has it, the others wait in order. */
export class TurnLine {
  readonly #time: VirtualTime;
  #holder: Waiter | undefined;
  #waiting: Waiter[] = [];

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** Whether a process may append: it has the turn, or nobody wants it. */
  allows(owner: string): boolean {
    return this.#holder?.owner === owner || (this.#holder === undefined && this.#waiting.length === 0);
  }

  ask(owner: string, grant: () => void): void {
    this.leave(owner);
    this.#waiting.push({ owner, grant });
    this.#next();
  }

  /** Ends a turn or a wait, also because the process is gone. */
  leave(owner: string): void {
    this.#waiting = this.#waiting.filter((waiter) => waiter.owner !== owner);
    if (this.#holder?.owner === owner) this.#holder = undefined;
    this.#next();
  }

  #next(): void {
    if (this.#holder !== undefined) return;
    const holder = this.#waiting.shift();
    if (holder === undefined) return;
    this.#holder = holder;
    this.#time.schedule({ delayMs: 0, owner: holder.owner, label: "a turn begins", run: holder.grant });
    const cutOff = (): void => {
      if (this.#holder === holder) this.leave(holder.owner);
    };
    this.#time.schedule({ delayMs: turnMs, owner: outside, label: "a turn is over", run: cutOff });
  }
}
