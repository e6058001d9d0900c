import type { Command, Entry, Event, Outcome } from "./entry.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader, StateWriter } from "./state.ts";
import type { TableSpec } from "./table.ts";

/** Where and when a command is decided. All of it is in the entry, so that it can be decided again. */
export interface DecideContext {
  readonly state: StateReader;
  readonly command: Omit<Command, "input">;
  readonly position: number;
  readonly time: number;
  readonly grace: boolean;
  /** The number of the rules to decide by. Rules that changed look here; the old ones stay callable. */
  readonly rules: number;
  /** The numbers that this build carries. */
  readonly knownRules: readonly number[];
  /** Whether the state still needs the data of an event in the entry at this position. */
  readonly restsOn: (event: { readonly type: string; readonly subject: string }, position: number) => boolean;
  /**
   * Folds an event at once, before the rest is decided: a lock that is overdue expires, and its next holder gets it,
   * before the command that met it is looked at. If the rule throws, it is taken back like everything else.
   */
  readonly emit: (event: Event) => void;
  /** What this entry holds so far. Whoever could make it too long looks here, and leaves the rest to the next entry. */
  readonly events: readonly Event[];
}

/** What a rule decided. */
export interface Decision {
  readonly outcome: Outcome;
  /** What happens besides the events that were emitted on the way; it comes after them. */
  readonly events: readonly Event[];
  /** Recorded even without an event or a key: a refusal that must be found in the audit trail. */
  readonly isAudited?: boolean;
  /** What the reply shows besides the recorded outcome. It can be had again from history, so it is not recorded. */
  readonly attachment?: JsonObject;
}

/** A place where the input does not fit. */
export interface InputIssue {
  readonly pointer: string;
  readonly message: string;
}

/** How one operation is decided. */
export interface Rule {
  /** Checks the input against the contract; undefined means that it fits. */
  readonly check: (input: Json) => readonly InputIssue[] | undefined;
  readonly decide: (input: never, context: DecideContext) => Decision;
}

/** How one type of event changes the state. Once published, it never changes. */
export type Fold = (state: StateWriter, event: Event, entry: EntryFacts) => void;

/** What a fold may know of the entry around the event. */
export type EntryFacts = Pick<Entry, "position" | "time" | "principal" | "agent" | "operation" | "erased">;

/** What else happens, in the same entry, right after an event of this feature or of one that it needs. */
export type Reaction = (event: Event, context: DecideContext) => readonly Event[];

/** Whether the state still needs the data of an event of this subject in the entry at this position. */
export type RestsOn = (state: StateReader, subject: string, position: number) => boolean;

/** A command that time itself brings about. The id is derived from what it is about, so that it runs once. */
export interface TimerCommand {
  readonly id: string;
  readonly operation: string;
  readonly input: Json;
}

export interface Timer {
  /** When the next one is due, if any. */
  readonly nextTime: (state: StateReader) => number | undefined;
  /** What is due at this time, earliest first. */
  readonly due: (state: StateReader, time: number, limit: number) => readonly TimerCommand[];
}

/** One general capability: its tables, how its operations are decided and how its events are folded. */
export interface Feature {
  readonly name: string;
  /** The features whose tables it reads and whose events it folds or reacts to. */
  readonly needs: readonly string[];
  readonly tables: readonly TableSpec<never>[];
  readonly rules: Readonly<Record<string, Rule>>;
  readonly folds: Readonly<Record<string, Fold>>;
  readonly reactions: Readonly<Record<string, Reaction>>;
  /**
   * By type of event: whether the state still needs what such an event brought. If not, its data may be erased. What a
   * feature does not answer for is needed.
   */
  readonly restsOn?: Readonly<Record<string, RestsOn>>;
  readonly timers: readonly Timer[];
}

/** Features so that each comes after those that it needs; the order among the rest is the order given. */
export function inOrderOfNeed(features: readonly Feature[]): readonly Feature[] {
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const ordered: Feature[] = [];
  const visit = (feature: Feature, trail: readonly string[]): void => {
    if (ordered.includes(feature)) return;
    if (trail.includes(feature.name))
      throw new Error(`features need each other: ${[...trail, feature.name].join(" → ")}`);
    for (const need of feature.needs) {
      const needed = byName.get(need);
      if (needed === undefined) throw new Error(`feature ${feature.name} needs ${need}, which is not there`);
      visit(needed, [...trail, feature.name]);
    }
    ordered.push(feature);
  };
  for (const feature of features) visit(feature, []);
  return ordered;
}
