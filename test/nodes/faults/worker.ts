import { HoldfastError } from "@holdfast/sdk";
import { systemClock } from "../../../server/src/base/clock.ts";

/** Does one thing after the other until it is stopped, and can be waited for. */
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

  /** It ends when it is stopped; it throws when a promise was broken. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#step();
      this.#doneCount += 1;
      for (const one of this.#waiting) {
        if (one.doneCount > this.#doneCount) continue;
        this.#waiting.delete(one);
        one.resolve();
      }
      // Others need the processor, too: nodes have to start beside it.
      await pause(15);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Something was done that was begun after this call. */
  progress(): Promise<void> {
    // What is under way was begun before.
    const doneCount = this.#doneCount + 2;
    return new Promise((resolve) => this.#waiting.add({ doneCount, resolve }));
  }
}

/** How long a fault lasts, or somebody takes for a step: part of what happens, not a way to wait for it. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, resolve, { keepAlive: true });
  });
}

/** Waits for something that must come in time. Who was in time leaves no timer behind, which would keep the process alive. */
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

/** Sends the same until it is answered. The client itself tries for a while; an outage may be longer. */
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
