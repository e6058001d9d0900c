import { outside, type VirtualTime } from "./virtual-time.ts";

/** Maximum duration of a turn. The server then ends the turn of a sleeping process. */
const turnMs = 500;

interface Waiter {
  readonly owner: string;
  readonly grant: () => void;
}

/** The turns at the head of the shared journal: one process has the turn, the others wait in order. */
export class TurnQueue {
  readonly #time: VirtualTime;
  #holder: Waiter | undefined;
  #waiting: Waiter[] = [];

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** True if a process may append: it has the turn, or no process wants it. */
  allows(owner: string): boolean {
    return this.#holder?.owner === owner || (this.#holder === undefined && this.#waiting.length === 0);
  }

  enqueue(owner: string, grant: () => void): void {
    this.leave(owner);
    this.#waiting.push({ owner, grant });
    this.#next();
  }

  /** Ends a turn or a wait, also if the process is gone. */
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
