import type { Clock } from "../base/clock.ts";
import type { CheckpointHeader } from "../journal/checkpoint.ts";
import type { Head, Journal } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import type { TimerCommand } from "../machine/feature.ts";
import type { Machine } from "../machine/machine.ts";
import { Checkpointer } from "./checkpointer.ts";
import { HashLedger } from "./hash-ledger.ts";
import { engineLimits } from "./limits.ts";
import type { ReplicaListener } from "./replica.ts";

/** A command that the engine itself sends, and repeats until it succeeds. */
export interface EngineCommand {
  readonly command: TimerCommand;
  readonly done: () => void;
}

export interface StateHasherOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly checkpointEvery: number;
  readonly machine: () => Machine;
  readonly head: () => Head;
  /** Makes the command that records the hash of the state at a position. */
  readonly recordHash: (position: number, hash: string) => TimerCommand;
  /** The hash that an entry records, if it records one. */
  readonly recordedHash: (entry: Entry) => { readonly position: number; readonly hash: string } | undefined;
  /** Called when `due` has a command to send. */
  readonly wake: () => void;
  /** Called when the state differs from the recorded hash. This node must stop. */
  readonly onDiffer: (error: unknown) => void;
  readonly report: (message: string, cause: unknown) => void;
}

/** Hashes the state at the positions that every node hashes, compares it with recorded hashes, and saves checkpoints. */
export class StateHasher implements ReplicaListener {
  readonly #options: StateHasherOptions;
  readonly #ledger = new HashLedger();
  readonly #checkpointer: Checkpointer;
  /** Hashes that the journal does not hold yet. A reload of the state clears them. */
  readonly #unrecorded = new Map<number, string>();

  constructor(options: StateHasherOptions) {
    this.#options = options;
    this.#checkpointer = new Checkpointer({
      ...options,
      onHash: (position, hash) => {
        this.#compare(() => {
          if (!this.#ledger.noteOwn(position, hash)) return;
          this.#unrecorded.set(position, hash);
          options.wake();
        });
      },
    });
  }

  started(from: CheckpointHeader | undefined): void {
    this.#ledger.clear();
    this.#unrecorded.clear();
    this.#checkpointer.reset(from);
  }

  atHash(position: number): void {
    this.#checkpointer.hashAt(this.#options.machine(), position);
  }

  atHead(head: Head): void {
    this.#checkpointer.saveIfDue(this.#options.machine(), head);
  }

  folded(entry: Entry): void {
    const recorded = this.#options.recordedHash(entry);
    if (recorded === undefined) return;
    this.#unrecorded.delete(recorded.position);
    this.#compare(() => {
      this.#ledger.noteRecorded(recorded.position, recorded.hash);
    });
  }

  /** The commands to send with the next batch. They stay due until they succeed. */
  due(): readonly EngineCommand[] {
    if (this.#unrecorded.size === 0) return [];
    return Array.from(this.#unrecorded, ([position, hash]) => ({
      command: this.#options.recordHash(position, hash),
      done: () => this.#unrecorded.delete(position),
    }));
  }

  get saved(): Head | undefined {
    return this.#checkpointer.saved;
  }

  get savedPosition(): number {
    return this.#checkpointer.savedPosition;
  }

  /** Saves a checkpoint. Returns the position of the newest checkpoint. */
  save(): Promise<number> {
    return this.#checkpointer.saveNow(this.#options.machine(), this.#options.head());
  }

  /** Finishes the hashes in progress, so that they can be recorded before the stop. */
  finish(): Promise<void> {
    return this.#checkpointer.finish();
  }

  /** Saves a checkpoint if the next start would fold many entries, and stops. */
  async stop(): Promise<void> {
    const behind = this.#options.head().position - this.savedPosition;
    if (behind >= engineLimits.checkpointAtStop) await this.save();
    await this.#checkpointer.stop();
  }

  #compare(compare: () => void): void {
    try {
      compare();
    } catch (error) {
      this.#options.onDiffer(error);
    }
  }
}
