import type { Command } from "../machine/entry.ts";
import { engineLimits } from "./limits.ts";
import type { Reply } from "./reply.ts";

/** A command that waits to be decided. */
export interface Waiting {
  readonly command: Command;
  readonly caller: string;
  readonly bytes: number;
  /** On the monotonic clock. */
  readonly deadlineMs: number;
  readonly reply: (reply: Reply) => void;
  /** True if it comes from a timer: it is not put back, since it is due again anyway if it did not happen. */
  readonly isTimer: boolean;
  /** True once it was part of an append that may have reached the journal. */
  isAttempted: boolean;
}

/** A batch, and what was found to be too late for it. */
export interface Taken {
  readonly batch: readonly Waiting[];
  readonly late: readonly Waiting[];
}

/**
 * Commands in front of the engine: in order for each caller, in turns between callers, so that one that sends
 * thousands does not make the others wait. What comes back from a batch that could not be appended goes first.
 */
export class CommandQueue {
  /** Callers with something waiting, in the order of their turns: a Map keeps the order in which they lined up. */
  readonly #callers = new Map<string, Line>();
  #front: Waiting[] = [];
  #size = 0;
  #bytes = 0;

  get size(): number {
    return this.#size;
  }

  get hasRoom(): boolean {
    return this.#size < engineLimits.queueCommandsMax && this.#bytes < engineLimits.queueBytesMax;
  }

  /** A guess at how long it takes until there is room: it drains at tens of thousands of commands a second. */
  get drainMs(): number {
    return 50 + Math.ceil(this.#size / 50);
  }

  push(waiting: Waiting): void {
    const line = this.#callers.get(waiting.caller);
    if (line === undefined) this.#callers.set(waiting.caller, { waiting: [waiting], taken: 0 });
    else line.waiting.push(waiting);
    this.#count(waiting, 1);
  }

  /** Puts commands back to be taken first, in this order. */
  putBack(waiting: readonly Waiting[]): void {
    this.#front = [...waiting, ...this.#front];
    for (const one of waiting) this.#count(one, 1);
  }

  /** Takes a batch within the bounds: at least one if there is one in time. */
  take(nowMs: number, commandsMax: number): Taken {
    const batch: Waiting[] = [];
    const late: Waiting[] = [];
    let bytes = 0;
    let next: Waiting | undefined;
    while ((next = this.#front[0] ?? this.#firstInLine()) !== undefined) {
      const isLate = next.deadlineMs <= nowMs;
      if (
        !isLate &&
        batch.length > 0 &&
        (batch.length >= commandsMax || bytes + next.bytes > engineLimits.batchBytesMax)
      )
        break;
      this.#remove(next);
      (isLate ? late : batch).push(next);
      if (!isLate) bytes += next.bytes;
    }
    return { batch, late };
  }

  /** Takes out everything whose deadline has passed, wherever it stands. */
  takeLate(nowMs: number): Waiting[] {
    const late: Waiting[] = [];
    const keep = (waiting: Waiting): boolean => {
      if (waiting.deadlineMs > nowMs) return true;
      late.push(waiting);
      this.#count(waiting, -1);
      return false;
    };
    this.#front = this.#front.filter(keep);
    for (const [caller, line] of this.#callers) {
      const waiting = line.waiting.slice(line.taken).filter(keep);
      if (waiting.length === 0) this.#callers.delete(caller);
      else this.#callers.set(caller, { waiting, taken: 0 });
    }
    return late;
  }

  /** Takes out commands that were put back and have been answered since. */
  removeFromFront(answered: ReadonlySet<Waiting>): void {
    for (const one of this.#front) if (answered.has(one)) this.#count(one, -1);
    this.#front = this.#front.filter((one) => !answered.has(one));
  }

  /** Commands that were put back, in order. */
  get front(): readonly Waiting[] {
    return this.#front;
  }

  #firstInLine(): Waiting | undefined {
    const turn = this.#callers.values().next();
    return turn.done === true ? undefined : turn.value.waiting[turn.value.taken];
  }

  /** Takes out the one that is next. Its caller goes to the end, if it has more. */
  #remove(next: Waiting): void {
    this.#count(next, -1);
    if (this.#front[0] === next) {
      this.#front.shift();
      return;
    }
    const line = this.#callers.get(next.caller);
    if (line === undefined) return;
    line.taken += 1;
    const hasMore = line.taken < line.waiting.length;
    // A caller that is alone stays where it is: there is nobody to take turns with.
    if (hasMore && this.#callers.size === 1) return;
    this.#callers.delete(next.caller);
    if (hasMore) this.#callers.set(next.caller, line);
  }

  #count(waiting: Waiting, sign: 1 | -1): void {
    this.#size += sign;
    this.#bytes += sign * waiting.bytes;
  }
}

/** What one caller has waiting. Taken ones are skipped, not shifted, so that a long line costs nothing extra. */
interface Line {
  readonly waiting: Waiting[];
  taken: number;
}
