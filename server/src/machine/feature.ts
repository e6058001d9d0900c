import type { Command, Entry, Event, Outcome } from "./entry.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader, StateWriter } from "./state.ts";
import type { TableSpec } from "./table.ts";

/**
 * The context of a decision. All of it is in the entry, so the decision can be repeated. `mustExpect` is the exception:
 * it leads to a refusal that is not recorded, or to nothing.
 */
export interface DecideContext {
  readonly state: StateReader;
  readonly command: Omit<Command, "input">;
  readonly position: number;
  readonly time: number;
  readonly grace: boolean;
  /** The rules number to decide by. */
  readonly rules: number;
  /** The rules numbers that this build knows. */
  readonly knownRules: readonly number[];
  /** Whether a change must state the version that it expects. */
  readonly mustExpect: boolean;
  /** Whether the state depends on the data of an event in the entry at this position. */
  readonly restsOn: (event: { readonly type: string; readonly subject: string }, position: number) => boolean;
  /**
   * Folds an event at once, before the rest is decided. So an overdue lock expires and its next holder gets it before
   * the command is decided. If the rule throws, the machine rolls it back with everything else.
   */
  readonly emit: (event: Event) => void;
  /** Runs a part of a decision. Everything that it emitted is rolled back if its result is not kept. */
  readonly attempt: <Result>(run: () => Result, isKept: (result: Result) => boolean) => Result;
  /**
   * The events of this entry so far. A rule that could make the entry too long checks it and leaves the rest to the
   * next entry.
   */
  readonly events: readonly Event[];
}

/** The result of a rule. */
export interface Decision {
  readonly outcome: Outcome;
  /** Events in addition to those that were emitted. They follow them. */
  readonly events: readonly Event[];
  /** Recorded even without an event or a key: a refusal that belongs in the audit trail. */
  readonly isAudited?: boolean;
  /** The key of the command stays unused: the server made it, or a repeat may be decided again. */
  readonly freesKey?: true;
  /**
   * Data of the reply in addition to the recorded outcome. It can be derived from history again, so it is not recorded.
   */
  readonly attachment?: JsonObject;
  /**
   * The evidence of the command does not match this state. The machine rolls back and records nothing, with any
   * outcome. The application layer gathers new evidence and sends the command again.
   */
  readonly again?: true | WantedCheck;
}

/** The check whose evidence a decision needs, and what it must check on this state. */
export interface WantedCheck {
  readonly check: string;
  /** The unit of the check that holds the rows. */
  readonly unit: string;
  readonly input: Json;
}

/** A value of the input that does not match the schema. */
interface InputIssue {
  readonly pointer: string;
  readonly message: string;
}

/** The rule of one operation. */
export interface Rule {
  /** Checks the input against the contract. Undefined means that it matches. */
  readonly check: (input: Json) => readonly InputIssue[] | undefined;
  readonly decide: (input: never, context: DecideContext) => Decision;
}

/** How one event type changes the state. A published fold never changes. */
export type Fold = (state: StateWriter, event: Event, entry: FoldedEntry) => void;

/** The members of the entry that a fold may read. */
export type FoldedEntry = Pick<Entry, "position" | "time" | "principal" | "agent" | "operation" | "key" | "erased">;

/** Further events in the same entry, right after an event of this feature or of a feature that it needs. */
export type Reaction = (event: Event, context: DecideContext) => readonly Event[];

/** Whether the state depends on the data of an event of this subject in the entry at this position. */
export type RestsOn = (state: StateReader, subject: string, position: number) => boolean;

/** A command that a timer sends. Its id is derived from its subject, so that it runs once. */
export interface TimerCommand {
  readonly id: string;
  readonly operation: string;
  readonly input: Json;
}

/** Why a journal may have another future elsewhere. */
export interface JournalFork {
  readonly reason: string;
  /** True if the journal was imported from a file, and its tokens must end. */
  readonly isImported: boolean;
}

export interface Timer {
  /** The timer fires during the grace period too. A timer that expires a lease must not set it. */
  readonly runsInGrace?: true;
  /** Time of the next due command, if any. It may be too early, but is exact if it is not after `time`. */
  readonly nextTime: (state: StateReader, time: number) => number | undefined;
  /** The commands that are due at this time, earliest first. */
  readonly due: (state: StateReader, time: number, limit: number) => readonly TimerCommand[];
}

/** One general capability: its tables, the rules of its operations and the folds of its events. */
export interface Feature {
  readonly name: string;
  /** The features whose tables it reads and whose events it folds or reacts to. */
  readonly needs: readonly string[];
  readonly tables: readonly TableSpec<never>[];
  readonly rules: Readonly<Record<string, Rule>>;
  readonly folds: Readonly<Record<string, Fold>>;
  readonly reactions: Readonly<Record<string, Reaction>>;
  /**
   * By event type: whether the state depends on such an event. If not, its data may be erased. The default is that it
   * does.
   */
  readonly restsOn?: Readonly<Record<string, RestsOn>>;
  readonly timers: readonly Timer[];
}

/** Sorts features so that each comes after those that it needs. Otherwise the given order stays. */
export function inOrderOfNeed(features: readonly Feature[]): readonly Feature[] {
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const ordered: Feature[] = [];
  const visit = (feature: Feature, trail: readonly string[]): void => {
    if (ordered.includes(feature)) return;
    if (trail.includes(feature.name))
      throw new Error(`features need each other: ${[...trail, feature.name].join(" → ")}`);
    for (const need of feature.needs) {
      const needed = byName.get(need);
      if (needed === undefined) throw new Error(`feature ${feature.name} needs ${need}, which is missing`);
      visit(needed, [...trail, feature.name]);
    }
    ordered.push(feature);
  };
  for (const feature of features) visit(feature, []);
  return ordered;
}
