import type { Command } from "../machine/entry.ts";
import { engineLimits } from "./limits.ts";
import type { Reply } from "./reply.ts";

/** A command that waits for its decision. */
export interface PendingCommand {
  readonly command: Command;
  /** The command's key with its scope, if it has a key. */
  readonly scope: string | undefined;
  /** The scope of the withdrawal of this command, or of the command that it withdraws. */
  readonly counterpart: string | undefined;
  /** True if the command withdraws a request. */
  readonly isWithdrawal: boolean;
  readonly caller: string;
  readonly bytes: number;
  /** Deadline on the monotonic clock. */
  readonly deadlineMs: number;
  /** See Circumstances. */
  readonly mustExpect: boolean;
  readonly reply: (reply: Reply) => void;
  /** True if a timer sent the command. It is never requeued, because a timer that did not run is due again anyway. */
  readonly isTimer: boolean;
  /** True once the command was part of an append that may have reached the journal. */
  isAttempted: boolean;
  /** True once this node reads the head of a shared journal after the command arrived. */
  isHeadRead: boolean;
}

/** A batch of commands, and the commands whose deadline has passed. */
interface QueueBatch {
  readonly batch: readonly PendingCommand[];
  readonly late: readonly PendingCommand[];
}

/** Number of callers at which the queue drops idle callers. */
const callersMax = 4_096;
/** Number of served slots at which the rotation is cut. A cut for each command would move a long array each time. */
const rotationSlack = 4_096;

/**
 * The commands that wait for the engine. Commands of one caller keep their order. Callers are served round-robin, so a
 * caller that sends thousands of commands does not delay the others. Requeued commands of a failed append are served
 * first.
 */
export class CommandQueue {
  /** The queue of each caller. Idle callers stay in the map, because most of them send again soon. */
  readonly #callers = new Map<string, CallerQueue>();
  #callersMax = callersMax;
  /** Queues with pending commands, in the order of service. Slots before `#rotationStart` are already served. */
  #rotation: CallerQueue[] = [];
  #rotationStart = 0;
  #front: PendingCommand[] = [];
  #size = 0;
  #bytes = 0;

  get size(): number {
    return this.#size;
  }

  get hasRoom(): boolean {
    return this.#size < engineLimits.queueCommandsMax && this.#bytes < engineLimits.queueBytesMax;
  }

  /** Estimated time until there is room. The queue drains at tens of thousands of commands per second. */
  get drainMs(): number {
    return 50 + Math.ceil(this.#size / 50);
  }

  push(pending: PendingCommand): void {
    const queue = this.#queueOf(pending.caller);
    if (queue.takenCount < queue.commands.length) queue.commands.push(pending);
    else {
      // Most callers have one pending command. A literal has room for it alone, and a push would make room for 17.
      queue.commands = [pending];
      queue.takenCount = 0;
      this.#rotation.push(queue);
    }
    this.#count(pending, 1);
  }

  /** Puts commands at the front, in this order. */
  requeue(commands: readonly PendingCommand[]): void {
    this.#front = [...commands, ...this.#front];
    for (const pending of commands) this.#count(pending, 1);
  }

  /** Takes a batch within the limits, with at least one command if one is before its deadline. */
  take(nowMs: number, commandsMax: number): QueueBatch {
    const batch: PendingCommand[] = [];
    const late: PendingCommand[] = [];
    let bytes = 0;
    let next: PendingCommand | undefined;
    while ((next = this.#front[0] ?? this.#firstInRotation()) !== undefined) {
      const isLate = next.deadlineMs <= nowMs;
      if (
        !isLate &&
        batch.length > 0 &&
        (batch.length >= commandsMax || bytes + next.bytes > engineLimits.batchBytesMax)
      )
        break;
      this.#removeNext(next);
      (isLate ? late : batch).push(next);
      if (!isLate) bytes += next.bytes;
    }
    return { batch, late };
  }

  /** Removes all commands whose deadline has passed. */
  takeLate(nowMs: number): PendingCommand[] {
    const late: PendingCommand[] = [];
    const keep = (pending: PendingCommand): boolean => {
      if (pending.deadlineMs > nowMs) return true;
      late.push(pending);
      this.#count(pending, -1);
      return false;
    };
    this.#front = this.#front.filter(keep);
    for (const queue of this.#rotation.slice(this.#rotationStart)) {
      queue.commands = queue.commands.slice(queue.takenCount).filter(keep);
      queue.takenCount = 0;
    }
    this.#rotation = this.#rotation.slice(this.#rotationStart).filter(({ commands }) => commands.length > 0);
    this.#rotationStart = 0;
    return late;
  }

  /** Removes requeued commands that have been answered since. */
  removeFromFront(answered: ReadonlySet<PendingCommand>): void {
    for (const pending of this.#front) if (answered.has(pending)) this.#count(pending, -1);
    this.#front = this.#front.filter((pending) => !answered.has(pending));
  }

  /** Requeued commands, in order. */
  get front(): readonly PendingCommand[] {
    return this.#front;
  }

  #queueOf(caller: string): CallerQueue {
    const known = this.#callers.get(caller);
    if (known !== undefined) return known;
    if (this.#callers.size >= this.#callersMax) this.#dropIdle();
    const queue: CallerQueue = { commands: [], takenCount: 0 };
    this.#callers.set(caller, queue);
    return queue;
  }

  /** Drops idle callers. The next run is at twice the remaining size, so busy callers do not cause a scan for each new one. */
  #dropIdle(): void {
    for (const [caller, queue] of this.#callers) if (queue.commands.length === 0) this.#callers.delete(caller);
    this.#callersMax = Math.max(callersMax, 2 * this.#callers.size);
  }

  #firstInRotation(): PendingCommand | undefined {
    const queue = this.#rotation[this.#rotationStart];
    return queue?.commands[queue.takenCount];
  }

  /** Removes the next command. Its caller moves to the end of the rotation if it has more. */
  #removeNext(next: PendingCommand): void {
    this.#count(next, -1);
    if (this.#front[0] === next) {
      this.#front.shift();
      return;
    }
    const queue = this.#rotation[this.#rotationStart];
    if (queue === undefined) return;
    queue.takenCount += 1;
    const hasMore = queue.takenCount < queue.commands.length;
    if (!hasMore) {
      queue.commands = [];
      queue.takenCount = 0;
    }
    // A single caller keeps its slot, because there is no other caller to serve.
    if (hasMore && this.#rotationStart === this.#rotation.length - 1) return;
    this.#rotationStart += 1;
    if (hasMore) this.#rotation.push(queue);
    if (this.#rotationStart < this.#rotation.length && this.#rotationStart < rotationSlack) return;
    this.#rotation = this.#rotation.slice(this.#rotationStart);
    this.#rotationStart = 0;
  }

  #count(pending: PendingCommand, sign: 1 | -1): void {
    this.#size += sign;
    this.#bytes += sign * pending.bytes;
  }
}

/** The pending commands of one caller. Taken commands are skipped and not shifted, because a shift of a long queue is slow. */
interface CallerQueue {
  commands: PendingCommand[];
  takenCount: number;
}
