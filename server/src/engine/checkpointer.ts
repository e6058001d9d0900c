/**
 * Saves the state from time to time, and hashes it every so many entries, without stalling anybody.
 *
 * At a position it only notes which rows changed: rows are immutable, so references are enough, and what they say is
 * written down afterwards in slices, between batches. The saved state is one transaction of the store. A failure here
 * costs nothing but a longer start: the journal is the truth.
 */
import type { Clock } from "../base/clock.ts";
import type { CheckpointDraft, CheckpointFacts, CheckpointRow } from "../journal/checkpoint.ts";
import type { Head, Journal } from "../journal/journal.ts";
import type { Machine } from "../machine/machine.ts";
import type { RowChange } from "../machine/table.ts";
import { engineLimits } from "./limits.ts";
import { Signal } from "./signal.ts";
import { StateHash } from "./state-hash.ts";

export interface CheckpointerOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly head: () => Head;
  /** The state is saved when so many entries have come since the last time. */
  readonly checkpointEvery: number;
  /** The hash of the state at a position is known. */
  readonly onHash: (position: number, hash: string) => void;
  readonly report: (message: string, cause: unknown) => void;
}

/** The rows that changed up to a position, and what is to be done with them. */
interface Capture {
  readonly position: number;
  readonly changes: readonly RowChange[];
  /** Set if the state of this position is to be saved. */
  readonly save: { readonly head: Head; readonly rules: number } | undefined;
  readonly isHashed: boolean;
}

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  readonly #done = new Signal();
  #captures: Capture[] = [];
  #hash = new StateHash();
  /** Rows that changed since the newest checkpoint, as they are now. */
  #unsaved = new Map<string, CheckpointRow>();
  #saved: Head | undefined;
  /** Somebody else saves here, so this one does not; it still hashes. */
  #isSpare = false;
  #work: Generator<undefined, void> | undefined;
  #isStopped = false;
  /** The head at the last slices. */
  #slicedAt = 0;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /** Starts from a checkpoint that was loaded, or from nothing. */
  reset(from: CheckpointFacts | undefined): void {
    this.#captures = [];
    this.#work = undefined;
    this.#unsaved = new Map();
    this.#hash = new StateHash(from?.stateHash);
    this.#saved = from?.head;
    this.#isSpare = false;
    if (from === undefined) this.#options.journal.checkpoints.clear();
  }

  /** The state is exactly that of this position, which is one at which it is hashed. */
  hashAt(machine: Machine, position: number): void {
    this.#capture({ position, changes: machine.capture(), save: undefined, isHashed: true });
  }

  /** The state is that of this head. It is saved if that is due. */
  saveIfDue(machine: Machine, head: Head): void {
    if (head.position - this.savedPosition >= this.#options.checkpointEvery) this.#saveAt(machine, head);
  }

  /** Saves the state of this head and waits until that is done; the position that is saved then, if it worked. */
  async saveNow(machine: Machine, head: Head): Promise<number> {
    if (head.position > this.savedPosition) this.#saveAt(machine, head);
    await this.finish();
    return this.savedPosition;
  }

  /** Waits until all that was captured is dealt with. */
  async finish(): Promise<void> {
    while (this.#captures.length > 0) await this.#done.next();
  }

  /** Nothing more is done. A checkpoint that was under way is given up. */
  stop(): void {
    this.#isStopped = true;
    this.#work?.return();
    this.#captures = [];
    this.#done.fire();
  }

  get savedPosition(): number {
    return this.#saved?.position ?? 0;
  }

  #saveAt(machine: Machine, head: Head): void {
    if (this.#isSpare || this.#captures.some(({ save }) => save !== undefined)) return;
    const save = { head, rules: machine.settings.rules };
    this.#capture({ position: head.position, changes: machine.capture(), save, isHashed: false });
  }

  #capture(capture: Capture): void {
    this.#captures.push(capture);
    if (this.#captures.length === 1) this.#goOn();
  }

  /** One slice, and then everybody else first. */
  #goOn(): void {
    this.#options.clock.soon(() => {
      const capture = this.#captures[0];
      if (capture === undefined || this.#isStopped) return;
      for (let slices = this.#slicesDue(); slices > 0 && this.#captures[0] === capture; slices -= 1)
        this.#slice(capture);
      if (this.#captures.length > 0) this.#goOn();
    });
  }

  #slice(capture: Capture): void {
    this.#work ??= this.#process(capture);
    if (this.#work.next().done !== true) return;
    this.#work = undefined;
    this.#captures.shift();
    this.#done.fire();
  }

  /** In step with what is appended: one slice at least, and more while batches are large, so as never to fall behind. */
  #slicesDue(): number {
    const { position } = this.#options.head();
    const entries = position - this.#slicedAt;
    this.#slicedAt = position;
    return Math.max(1, Math.ceil((engineLimits.checkpointPace * entries) / engineLimits.checkpointSliceRows));
  }

  *#process(capture: Capture): Generator<undefined, void> {
    for (const [index, change] of capture.changes.entries()) {
      this.#note(change);
      if (index % engineLimits.checkpointSliceRows === 0) yield;
    }
    if (capture.isHashed) this.#options.onHash(capture.position, this.#hash.text);
    if (capture.save !== undefined) yield* this.#save(capture.save);
  }

  #note({ table, key, old, row }: RowChange): void {
    if (old !== undefined) this.#hash.remove(table, JSON.stringify(old));
    const line = row === undefined ? undefined : JSON.stringify(row);
    if (line !== undefined) this.#hash.add(table, line);
    if (!this.#isSpare) this.#unsaved.set(`${table}\n${key}`, { table, key, line });
  }

  *#save({ head, rules }: NonNullable<Capture["save"]>): Generator<undefined, void> {
    const stateHash = this.#hash.text;
    let draft: CheckpointDraft | undefined;
    try {
      draft = this.#options.journal.checkpoints.begin(this.#saved);
      if (draft === undefined) {
        this.#isSpare = true;
        this.#unsaved = new Map();
        return;
      }
      let slice: CheckpointRow[] = [];
      for (const row of this.#unsaved.values()) {
        slice.push(row);
        if (slice.length < engineLimits.checkpointSliceRows) continue;
        draft.write(slice);
        slice = [];
        yield;
      }
      draft.write(slice);
      draft.commit({ head, rules, stateHash });
      draft = undefined;
      this.#unsaved = new Map();
      this.#saved = head;
    } catch (error) {
      this.#options.report(
        `the state of position ${String(head.position)} could not be saved; the next one will be`,
        error,
      );
    } finally {
      // Also when the work is given up half-way.
      draft?.abandon();
    }
  }
}
