/**
 * Saves the state periodically, and hashes it at fixed positions, without delaying commands.
 *
 * - **Capture.** At a position it only records which rows changed. Rows are immutable, so references suffice. The rows are
 *   serialized and written afterwards, in slices between batches.
 * - **Failure.** The store commits a checkpoint atomically. A failure only makes the next start longer, because the journal
 *   is the truth.
 * - **Several nodes.** Nodes may share a store. One node saves at a time, on top of the newest checkpoint of any node. Each
 *   node records the rows that changed since the newest checkpoint it knows. Extra rows are harmless.
 */
import type { Clock } from "../base/clock.ts";
import type { CheckpointDraft, CheckpointHeader, CheckpointRow } from "../journal/checkpoint.ts";
import type { Head, Journal } from "../journal/journal.ts";
import type { Machine } from "../machine/machine.ts";
import type { DumpedRow } from "../machine/state.ts";
import type { RowChange } from "../machine/table.ts";
import { CheckpointSlice } from "./checkpoint-slice.ts";
import { engineLimits } from "./limits.ts";
import { Signal } from "./signal.ts";
import { StateHash } from "./state-hash.ts";

interface CheckpointerOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly head: () => Head;
  /** Entries between two checkpoints. */
  readonly checkpointEvery: number;
  /** Called with the hash of the state at a position. */
  readonly onHash: (position: number, hash: string) => void;
  readonly report: (message: string, cause: unknown) => void;
}

/** The rows that changed up to a position, and the work to do with them. */
interface StateCapture {
  readonly position: number;
  readonly changes: readonly RowChange[];
  readonly save: SaveRequest | undefined;
  readonly isHashed: boolean;
}

/** A request to save the state of a head. */
interface SaveRequest {
  readonly head: Head;
  readonly rules: number;
  /** All rows, if there is no checkpoint as a base for the changed rows. */
  readonly whole: readonly DumpedRow[] | undefined;
  /** True if the state must be saved even if another node has saved recently. */
  readonly isForced: boolean;
}

interface UnsavedRow {
  readonly row: CheckpointRow;
  /** The row changed at or before this position. */
  readonly position: number;
}

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  readonly #done = new Signal();
  #captures: StateCapture[] = [];
  #hash = new StateHash();
  /** Rows that changed since the newest checkpoint, in their latest version. */
  #unsaved = new Map<string, UnsavedRow>();
  /** The newest checkpoint that this node knows of. */
  #saved: Head | undefined;
  #needsWhole = false;
  /** Position of the next attempt after one that saved nothing. */
  #attemptFrom = 0;
  /** Number of the current state. A reset increments it, and work on an older state is abandoned. */
  #round = 0;
  #working: Promise<void> | undefined;
  #isStopped = false;
  /** The head at the last slices, and the number of rows that may follow before the next yield to the event loop. */
  #slicedAt = 0;
  #rowsLeft = 0;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /** Starts from a loaded checkpoint, or from the empty state. */
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

  /** Hashes the state. The machine must be exactly at this position. */
  hashAt(machine: Machine, position: number): void {
    this.#capture({ position, changes: machine.capture(), save: undefined, isHashed: true });
  }

  /** Saves the state if a checkpoint is due. The machine must be at this head. */
  saveIfDue(machine: Machine, head: Head): void {
    if (head.position >= this.#attemptFrom && this.#isDue(head)) this.#saveAt(machine, head, { isForced: false });
  }

  /** Saves the state of this head and waits until that is done. Returns the position of the newest checkpoint. */
  async saveNow(machine: Machine, head: Head): Promise<number> {
    if (head.position > this.savedPosition) this.#saveAt(machine, head, { isForced: true });
    await this.finish();
    return this.savedPosition;
  }

  /** Waits until all captures are processed. */
  async finish(): Promise<void> {
    while (this.#captures.length > 0) await this.#done.next();
  }

  /** Stops the checkpointer and abandons a checkpoint in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#captures = [];
    this.#done.fire();
    await this.#working;
  }

  /** The head of the newest checkpoint. */
  get saved(): Head | undefined {
    return this.#saved;
  }

  get savedPosition(): number {
    return this.#saved?.position ?? 0;
  }

  #isDue(head: Head): boolean {
    return head.position - this.savedPosition >= this.#options.checkpointEvery;
  }

  #saveAt(machine: Machine, head: Head, { isForced }: { isForced: boolean }): void {
    if (this.#captures.some(({ save }) => save !== undefined)) return;
    const whole = this.#needsWhole ? [...machine.dump()] : undefined;
    const save = { head, rules: machine.settings.rules, whole, isForced };
    this.#capture({ position: head.position, changes: machine.capture(), save, isHashed: false });
  }

  #capture(capture: StateCapture): void {
    this.#captures.push(capture);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    // Only entries that are appended during the work set its pace.
    this.#slicedAt = this.#options.head().position;
    await this.#yieldToLoop();
    for (let capture = this.#captures[0]; capture !== undefined; capture = this.#captures[0]) {
      const round = this.#round;
      await this.#process(capture, round);
      if (!this.#isAbandoned(round)) this.#captures.shift();
      this.#done.fire();
    }
  }

  #isAbandoned(round: number): boolean {
    return this.#isStopped || round !== this.#round;
  }

  /** Ends a slice. It yields to the event loop unless the append rate requires more rows first. */
  async #endSlice(rows: number): Promise<void> {
    this.#rowsLeft -= rows;
    if (this.#rowsLeft <= 0) await this.#yieldToLoop();
  }

  async #yieldToLoop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#options.clock.soon(resolve);
    });
    this.#rowsLeft = this.#rowsDue();
  }

  /** The number of rows before the next yield: at least one slice, and more while batches are large, to keep up. */
  #rowsDue(): number {
    const { position } = this.#options.head();
    const entries = position - this.#slicedAt;
    this.#slicedAt = position;
    return engineLimits.checkpointPace * entries;
  }

  async #process({ changes, position, isHashed, save }: StateCapture, round: number): Promise<void> {
    const slice = new CheckpointSlice();
    for (const change of changes) {
      const rows = slice.add(this.#note(change, position));
      if (rows === undefined) continue;
      await this.#endSlice(rows);
      if (this.#isAbandoned(round)) return;
    }
    if (isHashed) this.#options.onHash(position, this.#hash.text);
    if (save !== undefined) await this.#save(save, round);
  }

  /** Returns the bytes that were hashed. */
  #note({ table, key, old, row }: RowChange, position: number): number {
    const oldLine = old === undefined ? undefined : JSON.stringify(old);
    if (oldLine !== undefined) this.#hash.remove(table, oldLine);
    const line = row === undefined ? undefined : JSON.stringify(row);
    if (line !== undefined) this.#hash.add(table, line);
    this.#unsaved.set(`${table}\n${key}`, { row: { table, key, line }, position });
    return bytesOf(oldLine) + bytesOf(line);
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
        `the checkpoint of position ${String(head.position)} could not be saved; a later attempt follows`,
        error,
      );
    } finally {
      // A failed attempt is not repeated with every batch.
      if (this.savedPosition < head.position && round === this.#round)
        this.#attemptFrom = head.position + Math.ceil(this.#options.checkpointEvery / 10);
      await draft?.abandon();
    }
  }

  /** Returns undefined if a checkpoint of another node makes this one unnecessary or impossible. */
  async #begin({ head, whole, isForced }: SaveRequest): Promise<CheckpointDraft | undefined> {
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
    if (newest.head.position >= head.position || !(isForced || this.#isDue(head))) return undefined;
    return checkpoints.begin(this.#saved);
  }

  /** Returns false if the work was abandoned. */
  async #write(draft: CheckpointDraft, rows: Iterable<CheckpointRow>, round: number): Promise<boolean> {
    const slice = new CheckpointSlice();
    let pending: CheckpointRow[] = [];
    for (const row of rows) {
      pending.push(row);
      const count = slice.add(bytesOf(row.line));
      if (count === undefined) continue;
      await draft.write(pending);
      pending = [];
      await this.#endSlice(count);
      if (this.#isAbandoned(round)) return false;
    }
    await draft.write(pending);
    return !this.#isAbandoned(round);
  }

  /** Sets the newest checkpoint. Rows that changed up to its head are saved. */
  #rebase(head: Head): void {
    this.#saved = head;
    this.#needsWhole = false;
    for (const [name, { position }] of this.#unsaved) if (position <= head.position) this.#unsaved.delete(name);
  }
}

function bytesOf(line: string | undefined): number {
  return line === undefined ? 0 : Buffer.byteLength(line);
}

function* unsavedRows(unsaved: ReadonlyMap<string, UnsavedRow>): Iterable<CheckpointRow> {
  for (const { row } of unsaved.values()) yield row;
}

function* dumpedRows(rows: readonly DumpedRow[]): Iterable<CheckpointRow> {
  for (const { table, key, row } of rows) yield { table, key, line: JSON.stringify(row) };
}
