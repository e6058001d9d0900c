/** The records of the watch of intents, and the witness of its checks. */
import type { Event } from "../../server/src/machine/entry.ts";
import type { IntentValue } from "../../server/src/packs/intents/intent-value.ts";
import type { Witness } from "../simulation/witness.ts";

export interface IntentWitness extends Witness {
  readonly faults: { count(name: string): void };
}

/** One life of an intent: a new intent with the id of a deleted one has another. */
export interface WatchedIntent {
  readonly id: string;
  readonly value: IntentValue;
  readonly corrections: Set<string>;
  /** Number of completions of each bridge, in all runs. */
  readonly completions: Map<string, number>;
  /** The ends of steps and runs: each happens once. */
  readonly ends: Set<string>;
}

/** A new version of an intent, and what it replaces. */
export interface IntentVersion {
  readonly before: WatchedIntent | undefined;
  readonly after: WatchedIntent | undefined;
  readonly version: number;
  /** The verb of the change, if it has one. */
  readonly name: string | undefined;
  /** The audit events of this version. */
  readonly records: Event[];
}
