import type { Clock } from "../../server/src/base/clock.ts";
import type { Random } from "./random.ts";

/** Something that will happen. `owner` is the process in which it happens: with it gone, it does not. */
interface Task {
  readonly atMs: number;
  readonly owner: string;
  readonly label: string;
  readonly run: () => void;
}

/** The owner of what happens outside of every process: on the disk, on the network, at the callers. */
export const outside = "outside";

/** Time that moves only when the simulation moves it, and everything that waits for it. */
export class VirtualTime {
  nowMs = 0;
  readonly #random: Random;
  #tasks: Task[] = [];
  /** Processes that stand still, and until when. */
  readonly #still = new Map<string, number>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns the way to cancel. */
  schedule(task: { delayMs: number; owner: string; label: string; run: () => void }): () => void {
    const { delayMs, owner, label, run } = task;
    const scheduled: Task = { atMs: this.nowMs + Math.max(0, delayMs), owner, label, run };
    this.#tasks.push(scheduled);
    return () => {
      this.#tasks = this.#tasks.filter((one) => one !== scheduled);
    };
  }

  /** Takes out one of those that could happen now: any, since nothing promises their order. */
  takeReady(): Task | undefined {
    const ready = this.#tasks.filter((task) => this.#startOf(task) <= this.nowMs);
    if (ready.length === 0) return undefined;
    const task = this.#random.pick(ready);
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
    return task;
  }

  /** When the next one can happen. */
  nextMs(): number {
    return this.#tasks.reduce((next, task) => Math.min(next, this.#startOf(task)), Infinity);
  }

  holdStill(owner: string, untilMs: number): void {
    // Standing still again must not end what is longer.
    this.#still.set(owner, Math.max(untilMs, this.#still.get(owner) ?? 0));
  }

  isStill(owner: string): boolean {
    return (this.#still.get(owner) ?? 0) > this.nowMs;
  }

  /** The process is gone, and with it all that would have happened in it. */
  forget(owner: string): void {
    this.#tasks = this.#tasks.filter((task) => task.owner !== owner);
    this.#still.delete(owner);
  }

  #startOf(task: Task): number {
    return Math.max(task.atMs, this.#still.get(task.owner) ?? 0);
  }
}

/** The clock of one process. Its wall clock can be set; its monotonic clock starts anywhere; its timers may be late. */
export function processClock(
  time: VirtualTime,
  owner: string,
  clock: { readonly wallMs: () => number; readonly startMs: number; readonly lateMs: () => number },
): Clock {
  return {
    wallMs: () => clock.wallMs() + time.nowMs,
    monotonicMs: () => clock.startMs + time.nowMs,
    after: (delayMs, run) => time.schedule({ delayMs: delayMs + clock.lateMs(), owner, label: "timer", run }),
    soon: (run) => void time.schedule({ delayMs: 0, owner, label: "soon", run }),
  };
}
