import { HoldfastError } from "@holdfast/sdk";
import { systemClock } from "../../../server/src/base/clock.ts";

/** Repeats a step until it is stopped, and reports progress. */
export class Worker {
  readonly name: string;
  readonly #step: () => Promise<void>;
  readonly #waiting = new Set<{ readonly doneCount: number; readonly resolve: () => void }>();
  #doneCount = 0;
  #isStopped = false;

  constructor(name: string, step: () => Promise<void>) {
    this.name = name;
    this.#step = step;
  }

  get doneCount(): number {
    return this.#doneCount;
  }

  /** Resolves when it is stopped, and rejects when a promise is broken. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#step();
      this.#doneCount += 1;
      for (const waiter of this.#waiting) {
        if (waiter.doneCount > this.#doneCount) continue;
        this.#waiting.delete(waiter);
        waiter.resolve();
      }
      // Leaves processor time to the nodes, which have to start meanwhile.
      await pause(15);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves when a step is done that began after this call. */
  progress(): Promise<void> {
    // The running step began before.
    const doneCount = this.#doneCount + 2;
    return new Promise((resolve) => this.#waiting.add({ doneCount, resolve }));
  }
}

/** The duration of a fault, or of a step of a client: part of the run, not a way to wait for it. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, resolve, { keepAlive: true });
  });
}

/** Waits for work that must end in time. Clears its timer, which would keep the process alive. */
export async function within<Result>(ms: number, work: Promise<Result>, onLate: () => Error): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const cancel = systemClock.after(
    ms,
    () => {
      late.reject(onLate());
    },
    { keepAlive: true },
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}

/** Repeats a call until it is answered. The client retries too, but an outage may be longer. */
export async function persist<Result>(work: () => Promise<Result>, mayStop: () => boolean): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const mayWork = error instanceof HoldfastError && (error.retry === "same-key" || error.retry === "later");
      if (!mayWork || mayStop()) throw error;
    }
  }
}
