/**
 * Saves the state from time to time, and hashes it every so many entries, without stalling anybody.
 *
 * At a position it only notes which rows changed: rows are immutable, so references are enough, and what they say is
 * written down afterwards in slices, between batches. The saved state is one transaction of the store. A failure here
 * costs nothing but a longer start: the journal is the truth.
 *
 * Several nodes may share a store: one saves at a time, on top of the newest checkpoint, whoever made that. So each
 * node remembers what changed since the newest one that it knows of; if that is more than needed, it does no harm.
 */
import type { Clock } from "../base/clock.ts";
import type { CheckpointDraft, CheckpointHeader, CheckpointRow } from "../journal/checkpoint.ts";
import type { Head, Journal } from "../journal/journal.ts";
import type { Machine } from "../machine/machine.ts";
import type { DumpedRow } from "../machine/state.ts";
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
interface StateCapture {
  readonly position: number;
  readonly changes: readonly RowChange[];
  readonly save: SaveRequest | undefined;
  readonly isHashed: boolean;
}

/** The state of this head is to be saved. */
interface SaveRequest {
  readonly head: Head;
  readonly rules: number;
  /** All rows, if there is no checkpoint any more that changes could be saved on top of. */
  readonly whole: readonly DumpedRow[] | undefined;
  /** Even if another node has saved not long ago. */
  readonly isWanted: boolean;
}

interface UnsavedRow {
  readonly row: CheckpointRow;
  /** It changed at or before this position. */
  readonly position: number;
}

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  readonly #done = new Signal();
  #captures: StateCapture[] = [];
  #hash = new StateHash();
  /** Rows that changed since the newest checkpoint, as they are now. */
  #unsaved = new Map<string, UnsavedRow>();
  /** The newest checkpoint that this node knows of. */
  #saved: Head | undefined;
  #needsWhole = false;
  /** After an attempt that led to nothing there is none before this position. */
  #attemptFrom = 0;
  /** Counts the states that there were: work on one that was dropped is given up. */
  #round = 0;
  #working: Promise<void> | undefined;
  #isStopped = false;
  /** The head at the last slices, and how many may still follow before everybody else has a turn. */
  #slicedAt = 0;
  #slicesLeft = 0;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /** Starts from a checkpoint that was loaded, or from nothing. */
  reset(from: CheckpointHeader | undefined): void {
    this.#round += 1;
    this.#captures = [];
    this.#unsaved = new Map();
    this.#hash = new StateHash(from?.stateHash);
    this.#saved = from?.head;
    this.#needsWhole = false;
    this.#attemptFrom = 0;
    this.#done.fire();
  }

  /** The state is exactly that of this position, which is one at which it is hashed. */
  hashAt(machine: Machine, position: number): void {
    this.#capture({ position, changes: machine.capture(), save: undefined, isHashed: true });
  }

  /** The state is that of this head. It is saved if that is due. */
  saveIfDue(machine: Machine, head: Head): void {
    if (head.position >= this.#attemptFrom && this.#isDue(head)) this.#saveAt(machine, head, { isWanted: false });
  }

  /** Saves the state of this head and waits until that is done; the position that is saved then, if it worked. */
  async saveNow(machine: Machine, head: Head): Promise<number> {
    if (head.position > this.savedPosition) this.#saveAt(machine, head, { isWanted: true });
    await this.finish();
    return this.savedPosition;
  }

  /** Waits until all that was captured is dealt with. */
  async finish(): Promise<void> {
    while (this.#captures.length > 0) await this.#done.next();
  }

  /** Nothing more is done. A checkpoint that was under way is given up. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#captures = [];
    this.#done.fire();
    await this.#working;
  }

  /** The head that the newest checkpoint is of. */
  get saved(): Head | undefined {
    return this.#saved;
  }

  get savedPosition(): number {
    return this.#saved?.position ?? 0;
  }

  #isDue(head: Head): boolean {
    return head.position - this.savedPosition >= this.#options.checkpointEvery;
  }

  #saveAt(machine: Machine, head: Head, { isWanted }: { isWanted: boolean }): void {
    if (this.#captures.some(({ save }) => save !== undefined)) return;
    const whole = this.#needsWhole ? [...machine.dump()] : undefined;
    const save = { head, rules: machine.settings.rules, whole, isWanted };
    this.#capture({ position: head.position, changes: machine.capture(), save, isHashed: false });
  }

  #capture(capture: StateCapture): void {
    this.#captures.push(capture);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    await this.#turn();
    for (let capture = this.#captures[0]; capture !== undefined; capture = this.#captures[0]) {
      const round = this.#round;
      await this.#process(capture, round);
      if (!this.#isGivenUp(round)) this.#captures.shift();
      this.#done.fire();
    }
  }

  #isGivenUp(round: number): boolean {
    return this.#isStopped || round !== this.#round;
  }

  /** After a slice: everybody else first, unless so much is appended that more slices are due. */
  async #pause(): Promise<void> {
    this.#slicesLeft -= 1;
    if (this.#slicesLeft <= 0) await this.#turn();
  }

  async #turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#options.clock.soon(resolve);
    });
    this.#slicesLeft = this.#slicesDue();
  }

  /** In step with what is appended: one slice at least, and more while batches are large, so as never to fall behind. */
  #slicesDue(): number {
    const { position } = this.#options.head();
    const entries = position - this.#slicedAt;
    this.#slicedAt = position;
    return Math.max(1, Math.ceil((engineLimits.checkpointPace * entries) / engineLimits.checkpointSliceRows));
  }

  async #process({ changes, position, isHashed, save }: StateCapture, round: number): Promise<void> {
    for (const [index, change] of changes.entries()) {
      this.#note(change, position);
      if (index % engineLimits.checkpointSliceRows !== 0) continue;
      await this.#pause();
      if (this.#isGivenUp(round)) return;
    }
    if (isHashed) this.#options.onHash(position, this.#hash.text);
    if (save !== undefined) await this.#save(save, round);
  }

  #note({ table, key, old, row }: RowChange, position: number): void {
    if (old !== undefined) this.#hash.remove(table, JSON.stringify(old));
    const line = row === undefined ? undefined : JSON.stringify(row);
    if (line !== undefined) this.#hash.add(table, line);
    this.#unsaved.set(`${table}\n${key}`, { row: { table, key, line }, position });
  }

  async #save(save: SaveRequest, round: number): Promise<void> {
    const { head, rules, whole } = save;
    const stateHash = this.#hash.text;
    let draft: CheckpointDraft | undefined;
    try {
      draft = await this.#begin(save);
      const rows = whole === undefined ? unsavedRows(this.#unsaved) : dumpedRows(whole);
      if (draft === undefined || !(await this.#write(draft, rows, round))) return;
      await draft.commit({ head, rules, stateHash });
      draft = undefined;
      if (round === this.#round) this.#rebase(head);
    } catch (error) {
      this.#options.report(
        `the state of position ${String(head.position)} could not be saved; the next one will be`,
        error,
      );
    } finally {
      // What led to nothing is not tried again with every batch.
      if (this.savedPosition < head.position && round === this.#round)
        this.#attemptFrom = head.position + Math.ceil(this.#options.checkpointEvery / 10);
      await draft?.abandon();
    }
  }

  /** Nothing, if another node has saved, or is saving, what makes this one needless or impossible. */
  async #begin({ head, whole, isWanted }: SaveRequest): Promise<CheckpointDraft | undefined> {
    const { checkpoints } = this.#options.journal;
    const draft = await checkpoints.begin(this.#saved);
    if (draft !== undefined || whole !== undefined) return draft;
    const [newest] = await checkpoints.list();
    if (newest === undefined) {
      this.#needsWhole = this.#saved !== undefined;
      this.#saved = undefined;
      return undefined;
    }
    this.#rebase(newest.head);
    if (newest.head.position >= head.position || !(isWanted || this.#isDue(head))) return undefined;
    return checkpoints.begin(this.#saved);
  }

  /** True if it was not given up half-way. */
  async #write(draft: CheckpointDraft, rows: Iterable<CheckpointRow>, round: number): Promise<boolean> {
    let slice: CheckpointRow[] = [];
    for (const row of rows) {
      slice.push(row);
      if (slice.length < engineLimits.checkpointSliceRows) continue;
      await draft.write(slice);
      slice = [];
      await this.#pause();
      if (this.#isGivenUp(round)) return false;
    }
    await draft.write(slice);
    return !this.#isGivenUp(round);
  }

  /** This is the newest checkpoint now: what changed up to there is saved. */
  #rebase(head: Head): void {
    this.#saved = head;
    this.#needsWhole = false;
    for (const [name, { position }] of this.#unsaved) if (position <= head.position) this.#unsaved.delete(name);
  }
}

function* unsavedRows(unsaved: ReadonlyMap<string, UnsavedRow>): Iterable<CheckpointRow> {
  for (const { row } of unsaved.values()) yield row;
}

function* dumpedRows(rows: readonly DumpedRow[]): Iterable<CheckpointRow> {
  for (const { table, key, row } of rows) yield { table, key, line: JSON.stringify(row) };
}
