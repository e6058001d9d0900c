import type { Entry } from "../../machine/entry.ts";
import type { Machine } from "../../machine/machine.ts";
import type { StateReader } from "../../machine/state.ts";
import { StateHash } from "../state-hash.ts";
import { type BadEntry, badEntry } from "./bad-entry.ts";

/** The hash of the state that an entry records, if it does. */
export type RecordedHash = (entry: Entry) => { readonly position: number; readonly hash: string } | undefined;

export interface HashAuditOptions {
  readonly recordedHash: RecordedHash;
  /** Whether the state lacks what was erased since. Its hash is then another one than those who recorded it saw. */
  readonly lacks: (state: StateReader) => boolean;
}

/** Hashes that wait to be found in the journal. They are recorded soon after their position, so few ever wait. */
const pendingMax = 64;

/** Hashes the state where the journal's writers do, and compares with what they recorded. */
export class HashAudit {
  readonly #machine: Machine;
  readonly #options: HashAuditOptions;
  readonly #hash = new StateHash();
  /** By position; undefined where the state is not what it was for those who recorded its hash. */
  readonly #waiting = new Map<number, string | undefined>();
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

  /** The hash of the state as it is. */
  now(): string {
    for (const { table, old, row } of this.#machine.capture()) {
      if (old !== undefined) this.#hash.remove(table, JSON.stringify(old));
      if (row !== undefined) this.#hash.add(table, JSON.stringify(row));
    }
    return this.#hash.text;
  }

  /** Every entry, once it is folded. */
  after(entry: Entry): BadEntry | undefined {
    const recorded = this.#options.recordedHash(entry);
    const bad = recorded === undefined ? undefined : this.#compare(entry, recorded);
    if (bad !== undefined) return bad;
    if (entry.position % this.#machine.settings.stateHashEvery === 0) this.#remember(entry.position);
    return undefined;
  }

  #remember(position: number): void {
    this.#waiting.set(position, this.#options.lacks(this.#machine.durable) ? undefined : this.now());
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > pendingMax && oldest !== undefined) this.#waiting.delete(oldest);
  }

  #compare(entry: Entry, recorded: { readonly position: number; readonly hash: string }): BadEntry | undefined {
    const hash = this.#waiting.get(recorded.position);
    if (hash === undefined) {
      this.#skippedCount += 1;
      return undefined;
    }
    this.#checkedCount += 1;
    return hash === recorded.hash ? undefined : badEntry(entry, "state", hash, recorded.hash);
  }
}
