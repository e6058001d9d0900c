/**
 * Checkpoints in a file of their own, which may be deleted at any time: then the whole journal is folded again.
 *
 * A draft is written in small transactions under a generation that does not count yet; the commit is a small one that
 * makes it count. One large transaction would be as atomic, but SQLite then rewrites its log at the commit and copies
 * it into the file afterwards: a second and a half for a million rows, in which nobody is served.
 */
import type {
  CheckpointHeader,
  CheckpointRow,
  StoredCheckpoint,
  SyncCheckpointDraft,
  SyncCheckpointStore,
} from "../checkpoint.ts";
import { type Head, JournalError } from "../journal.ts";
import {
  type CheckpointFile,
  copyCheckpoint,
  openNewCheckpointFile,
  openUsableCheckpointFile,
  useCopiedCheckpoint,
} from "./checkpoints/checkpoint-file.ts";
import { mapError } from "./map-error.ts";
import { createVersionSweep, type VersionSweep } from "./checkpoints/version-sweep.ts";

export interface SqliteCheckpointOptions {
  readonly folder: string;
  /** True if the journal has a batch that ends here. */
  readonly isInHistory: (head: Head) => boolean;
  /** Hears that checkpoint.db could not be used and was deleted. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A row that is written makes at most one version useless; looking at a few for each keeps ahead of that. */
const sweptPerRow = 4;

export class SqliteCheckpoints implements SyncCheckpointStore {
  readonly #folder: string;
  #file: CheckpointFile;
  #sweep: VersionSweep;
  #saved: readonly StoredCheckpoint[];
  /** Begun and not committed; the draft is one of them. */
  readonly #unfinished: Set<number>;
  /** Given up before the round that the sweep is on: at its end nothing is left of them. */
  #sweptSoon: readonly number[];
  #draft: number | undefined;

  constructor({ folder, isInHistory, onError }: SqliteCheckpointOptions) {
    this.#folder = folder;
    this.#file = openUsableCheckpointFile(folder, onError ?? (() => undefined));
    this.#sweep = createVersionSweep(this.#file.table);
    this.#saved = this.#file.table.saved();
    this.#unfinished = new Set(this.#file.table.unfinished());
    this.#sweptSoon = [...this.#unfinished];
    // What a new checkpoint builds on must be a fold of this history, and it must be possible to tell.
    try {
      if (!this.#saved.every(({ head }) => isInHistory(head))) this.clear();
    } catch (error) {
      onError?.(error);
      this.clear();
    }
  }

  list(): readonly CheckpointHeader[] {
    return this.#saved.map(({ head, rules, stateHash }) => ({ head, rules, stateHash }));
  }

  rows(facts: CheckpointHeader): Iterable<readonly CheckpointRow[]> {
    const found = this.#saved.find(({ head }) => head.hash === facts.head.hash);
    return found === undefined ? [] : this.#file.rows(found.generation, new Set(this.#unfinished));
  }

  begin(base: Head | undefined): SyncCheckpointDraft | undefined {
    if (this.#saved[0]?.head.hash !== base?.hash) return undefined;
    const generation = Math.max(0, ...this.#unfinished, ...this.#saved.map((one) => one.generation)) + 1;
    this.#draft = generation;
    this.#guard(generation, () => {
      this.#file.table.begin(generation);
      this.#unfinished.add(generation);
    });
    return {
      write: (rows) => {
        this.#guard(generation, () => {
          this.#write(generation, rows);
        });
      },
      commit: (facts) => {
        this.#guard(generation, () => {
          this.#commit({ ...facts, generation });
        });
      },
      abandon: () => {
        if (this.#draft === generation) this.#draft = undefined;
      },
    };
  }

  clear(): void {
    this.#use({ saved: [], file: () => openNewCheckpointFile(this.#folder) });
  }

  /**
   * Removes, in steps, whatever may still hold what the entry at this position erased: a draft, the previous
   * checkpoint, and the newest one too unless it already holds the state without it.
   */
  *purge(by: number): Generator<undefined, void> {
    for (;;) {
      const [newest] = this.#saved;
      if (newest === undefined || newest.head.position < by) break;
      // A new file, because in the old one bytes of rows that were moved or deleted may be left between others.
      yield* copyCheckpoint(this.#folder, this.rows(newest), newest);
      if (newest !== this.#saved[0]) continue;
      this.#use({ saved: [newest], file: () => useCopiedCheckpoint(this.#folder) });
      return;
    }
    this.clear();
  }

  close(): void {
    this.#file.close();
  }

  /** Goes on with another file. A draft on the old one is lost. */
  #use(next: { readonly saved: readonly StoredCheckpoint[]; readonly file: () => CheckpointFile }): void {
    this.#draft = undefined;
    this.#saved = next.saved;
    this.#unfinished.clear();
    this.#sweptSoon = [];
    this.#file.close();
    this.#file = next.file();
    this.#sweep = createVersionSweep(this.#file.table);
  }

  #write(generation: number, rows: readonly CheckpointRow[]): void {
    if (rows.length === 0) return;
    this.#file.table.write(generation, rows);
    if (this.#saved.length > 0 || this.#unfinished.size > 1) this.#sweepOn(rows.length * sweptPerRow);
  }

  #commit(next: StoredCheckpoint): void {
    this.#file.table.commit(next, this.#saved.slice(1));
    this.#saved = [next, ...this.#saved.slice(0, 1)];
    this.#unfinished.delete(next.generation);
    this.#draft = undefined;
  }

  #sweepOn(limit: number): void {
    const saved = this.#saved.map(({ generation }) => generation);
    if (!this.#sweep.step(limit, { saved, draft: this.#draft, unfinished: this.#unfinished })) return;
    this.#file.table.forget({ unfinished: this.#sweptSoon });
    for (const generation of this.#sweptSoon) this.#unfinished.delete(generation);
    this.#sweptSoon = [...this.#unfinished].filter((generation) => generation !== this.#draft);
  }

  #guard(generation: number, work: () => void): void {
    if (this.#draft !== generation) {
      throw new JournalError("invalid", "This checkpoint was given up; begin another one.", { certain: true });
    }
    try {
      work();
    } catch (error) {
      throw mapError(error, "checkpoint.db", true);
    }
  }
}
