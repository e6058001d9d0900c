import type { Entry } from "../../machine/entry.ts";
import type { Machine } from "../../machine/machine.ts";
import type { StateReader } from "../../machine/state.ts";
import { StateHash } from "../state-hash.ts";
import { type BadEntry, badEntry } from "./bad-entry.ts";

/** The hash of the state that an entry records, if it records one. */
export type RecordedHash = (entry: Entry) => { readonly position: number; readonly hash: string } | undefined;

interface HashAuditOptions {
  readonly recordedHash: RecordedHash;
  /** True if the state misses data that was erased later. Its hash then differs from the recorded one. */
  readonly missesErasedData: (state: StateReader) => boolean;
}

/** Maximum number of computed hashes without a recorded counterpart. A hash is recorded soon after its position. */
const pendingMax = 64;

/** Hashes the state at the positions where nodes record its hash, and compares the hashes. */
export class HashAudit {
  readonly #machine: Machine;
  readonly #options: HashAuditOptions;
  readonly #hash = new StateHash();
  /** Computed hashes by position. Undefined if the state misses erased data and cannot be compared. */
  readonly #pending = new Map<number, string | undefined>();
  #checkedCount = 0;
  #skippedCount = 0;

  constructor(machine: Machine, options: HashAuditOptions) {
    this.#machine = machine;
    this.#options = options;
  }

  get checkedCount(): number {
    return this.#checkedCount;
  }

  get skippedCount(): number {
    return this.#skippedCount;
  }

  /** The hash of the current state. */
  now(): string {
    for (const { table, old, row } of this.#machine.capture()) {
      if (old !== undefined) this.#hash.remove(table, JSON.stringify(old));
      if (row !== undefined) this.#hash.add(table, JSON.stringify(row));
    }
    return this.#hash.text;
  }

  /** Checks an entry after it was folded. It must be called for every entry. */
  after(entry: Entry): BadEntry | undefined {
    const recorded = this.#options.recordedHash(entry);
    const bad = recorded === undefined ? undefined : this.#compare(entry, recorded);
    if (bad !== undefined) return bad;
    if (entry.position % this.#machine.settings.stateHashEvery === 0) this.#remember(entry.position);
    return undefined;
  }

  #remember(position: number): void {
    this.#pending.set(position, this.#options.missesErasedData(this.#machine.durable) ? undefined : this.now());
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > pendingMax && oldest !== undefined) this.#pending.delete(oldest);
  }

  #compare(entry: Entry, recorded: { readonly position: number; readonly hash: string }): BadEntry | undefined {
    const hash = this.#pending.get(recorded.position);
    if (hash === undefined) {
      this.#skippedCount += 1;
      return undefined;
    }
    this.#checkedCount += 1;
    return hash === recorded.hash ? undefined : badEntry(entry, "state", hash, recorded.hash);
  }
}
