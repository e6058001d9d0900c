import type { Command } from "../machine/entry.ts";
import { engineLimits } from "./limits.ts";
import type { Reply } from "./reply.ts";

/** A command that waits to be decided. */
export interface PendingCommand {
  readonly command: Command;
  /** The command's key with all that it is valid for, if it has one. */
  readonly scope: string | undefined;
  readonly caller: string;
  readonly bytes: number;
  /** On the monotonic clock. */
  readonly deadlineMs: number;
  /** See Circumstances. */
  readonly mustExpect: boolean;
  readonly reply: (reply: Reply) => void;
  /** True if it comes from a timer: it is not put back, since it is due again anyway if it did not happen. */
  readonly isTimer: boolean;
  /** True once it was part of an append that may have reached the journal. */
  isAttempted: boolean;
}

/** A batch, and what was found to be too late for it. */
export interface QueueBatch {
  readonly batch: readonly PendingCommand[];
  readonly late: readonly PendingCommand[];
}

/** Callers that are known before those that have nothing waiting are forgotten. */
const linesMax = 4_096;
/** Turns that were had, before they are cut off: so a long queue is not moved with each command. */
const turnsMax = 4_096;

/**
 * Commands in front of the engine: in order for each caller, in turns between callers, so that one that sends
 * thousands does not make the others wait. What comes back from a batch that could not be appended goes first.
 */
export class CommandQueue {
  /** What each caller has waiting. Those that have nothing stay for a while: most of them come back at once. */
  readonly #lines = new Map<string, CallerQueue>();
  #linesMax = linesMax;
  /** Lines with something waiting, in the order of their turns; those before `#turn` had theirs. */
  #turns: CallerQueue[] = [];
  #turn = 0;
  #front: PendingCommand[] = [];
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

  push(waiting: PendingCommand): void {
    const line = this.#lineOf(waiting.caller);
    if (line.taken === line.waiting.length) this.#turns.push(line);
    line.waiting.push(waiting);
    this.#count(waiting, 1);
  }

  /** Puts commands back to be taken first, in this order. */
  requeue(waiting: readonly PendingCommand[]): void {
    this.#front = [...waiting, ...this.#front];
    for (const one of waiting) this.#count(one, 1);
  }

  /** Takes a batch within the bounds: at least one if there is one in time. */
  take(nowMs: number, commandsMax: number): QueueBatch {
    const batch: PendingCommand[] = [];
    const late: PendingCommand[] = [];
    let bytes = 0;
    let next: PendingCommand | undefined;
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
  takeLate(nowMs: number): PendingCommand[] {
    const late: PendingCommand[] = [];
    const keep = (waiting: PendingCommand): boolean => {
      if (waiting.deadlineMs > nowMs) return true;
      late.push(waiting);
      this.#count(waiting, -1);
      return false;
    };
    this.#front = this.#front.filter(keep);
    for (const line of this.#turns.slice(this.#turn)) {
      line.waiting = line.waiting.slice(line.taken).filter(keep);
      line.taken = 0;
    }
    this.#turns = this.#turns.slice(this.#turn).filter(({ waiting }) => waiting.length > 0);
    this.#turn = 0;
    return late;
  }

  /** Takes out commands that were put back and have been answered since. */
  removeFromFront(answered: ReadonlySet<PendingCommand>): void {
    for (const one of this.#front) if (answered.has(one)) this.#count(one, -1);
    this.#front = this.#front.filter((one) => !answered.has(one));
  }

  /** Commands that were put back, in order. */
  get front(): readonly PendingCommand[] {
    return this.#front;
  }

  #lineOf(caller: string): CallerQueue {
    const known = this.#lines.get(caller);
    if (known !== undefined) return known;
    if (this.#lines.size >= this.#linesMax) this.#forgetIdle();
    const line: CallerQueue = { waiting: [], taken: 0 };
    this.#lines.set(caller, line);
    return line;
  }

  /** The next time is when there are twice as many, so that many who are busy do not make each new one look at all. */
  #forgetIdle(): void {
    for (const [caller, line] of this.#lines) if (line.waiting.length === 0) this.#lines.delete(caller);
    this.#linesMax = Math.max(linesMax, 2 * this.#lines.size);
  }

  #firstInLine(): PendingCommand | undefined {
    const line = this.#turns[this.#turn];
    return line?.waiting[line.taken];
  }

  /** Takes out the one that is next. Its caller goes to the end, if it has more. */
  #remove(next: PendingCommand): void {
    this.#count(next, -1);
    if (this.#front[0] === next) {
      this.#front.shift();
      return;
    }
    const line = this.#turns[this.#turn];
    if (line === undefined) return;
    line.taken += 1;
    const hasMore = line.taken < line.waiting.length;
    if (!hasMore) {
      line.waiting = [];
      line.taken = 0;
    }
    // A caller that is alone stays where it is: there is nobody to take turns with.
    if (hasMore && this.#turn === this.#turns.length - 1) return;
    this.#turn += 1;
    if (hasMore) this.#turns.push(line);
    if (this.#turn < this.#turns.length && this.#turn < turnsMax) return;
    this.#turns = this.#turns.slice(this.#turn);
    this.#turn = 0;
  }

  #count(waiting: PendingCommand, sign: 1 | -1): void {
    this.#size += sign;
    this.#bytes += sign * waiting.bytes;
  }
}

/** What one caller has waiting. Taken ones are skipped, not shifted, so that a long line costs nothing extra. */
interface CallerQueue {
  waiting: PendingCommand[];
  taken: number;
}
