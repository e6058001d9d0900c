/**
 * Checkpoints in their own file. The file may be deleted at any time. The next start then folds the whole journal.
 *
 * A draft is written in small transactions under an unfinished generation. The commit is one small transaction that
 * finishes the generation. One large transaction would also be atomic, but SQLite would rewrite its WAL at the commit and
 * then copy it into the file. That blocks all callers for 1.5 seconds per million rows.
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

interface SqliteCheckpointOptions {
  readonly folder: string;
  /** True if the journal has a batch that ends at this head. */
  readonly isInHistory: (head: Head) => boolean;
  /** Called if checkpoint.db was unusable and was deleted. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Versions that the sweep checks per written row. A written row makes at most one version obsolete. */
const sweptPerRow = 4;

export class SqliteCheckpoints implements SyncCheckpointStore {
  readonly #folder: string;
  #file: CheckpointFile;
  #sweep: VersionSweep;
  #saved: readonly StoredCheckpoint[];
  /** Generations that were begun and not committed, including the draft. */
  readonly #unfinished: Set<number>;
  /** Generations abandoned before the sweep's current round. The round removes all their versions. */
  #sweptSoon: readonly number[];
  #draft: number | undefined;

  constructor({ folder, isInHistory, onError }: SqliteCheckpointOptions) {
    this.#folder = folder;
    this.#file = openUsableCheckpointFile(folder, onError ?? (() => undefined));
    this.#sweep = createVersionSweep(this.#file.table);
    this.#saved = this.#file.table.saved();
    this.#unfinished = new Set(this.#file.table.unfinished());
    this.#sweptSoon = [...this.#unfinished];
    // The base of a new checkpoint must be a fold of this history. A base that cannot be checked is deleted too.
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

  rows(header: CheckpointHeader): Iterable<readonly CheckpointRow[]> {
    const found = this.#saved.find(({ head }) => head.hash === header.head.hash);
    return found === undefined ? [] : this.#file.rows(found.generation, new Set(this.#unfinished));
  }

  begin(base: Head | undefined): SyncCheckpointDraft | undefined {
    if (this.#saved[0]?.head.hash !== base?.hash) return undefined;
    const generation = Math.max(0, ...this.#unfinished, ...this.#saved.map((checkpoint) => checkpoint.generation)) + 1;
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
      commit: (header) => {
        this.#guard(generation, () => {
          this.#commit({ ...header, generation });
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
   * Removes, in steps, all checkpoints that may hold data erased by the entry at this position. These are a draft and the
   * previous checkpoint. The newest one is removed unless its state is newer than the erasure.
   */
  *purge(by: number): Generator<undefined, void> {
    for (;;) {
      const [newest] = this.#saved;
      if (newest === undefined || newest.head.position < by) break;
      // A new file is needed: in the old one, bytes of moved or deleted rows may remain between other rows.
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

  /** Replaces the file. A draft in the old file is lost. */
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
    this.#file.table.forget(this.#sweptSoon);
    for (const generation of this.#sweptSoon) this.#unfinished.delete(generation);
    this.#sweptSoon = [...this.#unfinished].filter((generation) => generation !== this.#draft);
  }

  #guard(generation: number, work: () => void): void {
    if (this.#draft !== generation) {
      throw new JournalError("invalid", "This checkpoint was abandoned. Begin another one.", { certain: true });
    }
    try {
      work();
    } catch (error) {
      throw mapError(error, "checkpoint.db", true);
    }
  }
}
