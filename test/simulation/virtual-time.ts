import type { Clock } from "../../server/src/base/clock.ts";
import type { Random } from "./random.ts";

/** A scheduled task. `owner` is the process in which it runs. If the process is gone, it does not run. */
interface Task {
  readonly atMs: number;
  readonly owner: string;
  readonly label: string;
  readonly run: () => void;
}

/** The owner of tasks outside every process: on the disk, on the network, at the callers. */
export const outside = "outside";

/** Time that only the simulation advances, and everything that waits for it. */
export class VirtualTime {
  nowMs = 0;
  readonly #random: Random;
  #tasks: Task[] = [];
  /** Paused processes, with the end of each pause. */
  readonly #pausedUntil = new Map<string, number>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns a function that cancels the task. */
  schedule(task: { delayMs: number; owner: string; label: string; run: () => void }): () => void {
    const { delayMs, owner, label, run } = task;
    const scheduled: Task = { atMs: this.nowMs + Math.max(0, delayMs), owner, label, run };
    this.#tasks.push(scheduled);
    return () => {
      this.#tasks = this.#tasks.filter((task) => task !== scheduled);
    };
  }

  /** Removes and returns one of the ready tasks. Any of them, since their order is not promised. */
  takeReady(): Task | undefined {
    const ready = this.#tasks.filter((task) => this.#startOf(task) <= this.nowMs);
    if (ready.length === 0) return undefined;
    const task = this.#random.pick(ready);
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
    return task;
  }

  /** The time of the next task. */
  nextMs(): number {
    return this.#tasks.reduce((next, task) => Math.min(next, this.#startOf(task)), Infinity);
  }

  holdStill(owner: string, untilMs: number): void {
    // A second pause must not shorten a longer one.
    this.#pausedUntil.set(owner, Math.max(untilMs, this.#pausedUntil.get(owner) ?? 0));
  }

  isStill(owner: string): boolean {
    return (this.#pausedUntil.get(owner) ?? 0) > this.nowMs;
  }

  /** The process is gone, and with it all its tasks. */
  forget(owner: string): void {
    this.#tasks = this.#tasks.filter((task) => task.owner !== owner);
    this.#pausedUntil.delete(owner);
  }

  #startOf(task: Task): number {
    return Math.max(task.atMs, this.#pausedUntil.get(task.owner) ?? 0);
  }
}

/**
 * The clock of one process. Its wall clock can be set. Its monotonic clock starts at any value, and its timers may be
 * late.
 */
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
