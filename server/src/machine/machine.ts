/**
 * The machine: state, decisions and folds. From the state, a command and a time it decides an outcome and events. From
 * an event it changes the state. It reads no clock, uses no randomness and never waits, so any history can be executed
 * again and gives the same result.
 *
 * - A decision folds its own events at once, so that the next command of the batch sees them. The caller then calls
 *   `settle` when the entries are durable, or `undo` when the append failed.
 * - A rule that throws is a bug. The machine rolls back that command alone; the other commands of the batch stay.
 * - An entry with unknown rules or an unknown event type stops the fold. Skipping it would make this node's state
 *   differ from that of the others.
 */
import { DecideFrame } from "./decide-frame.ts";
import type { DecisionPoint } from "./decide-frame.ts";
import type { Command, Entry, Event, Outcome } from "./entry.ts";
import { inOrderOfNeed } from "./feature.ts";
import type { FoldedEntry, Feature, Fold, Reaction, RestsOn, Rule, Timer, TimerCommand } from "./feature.ts";
import { replayOf } from "./replay.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { refusal } from "./refusal.ts";
import { DurableView, State } from "./state.ts";
import type { DumpedRow, StateReader } from "./state.ts";
import type { RowChange } from "./table.ts";

interface MachineOptions {
  readonly features: readonly Feature[];
  /** The rules numbers that this build can fold. */
  readonly knownRules: readonly number[];
  /** The settings that the machine itself reads from the state. Entries set them, so every node reads the same. */
  readonly settings: (state: StateReader) => MachineSettings;
}

export interface MachineSettings {
  readonly rules: number;
  readonly idempotencyWindowMs: number;
  /** Number of entries between two hashes of the state. */
  readonly stateHashEvery: number;
}

/** The engine's input to a decision. `prior` is the entry that first used the command's key. */
export interface Circumstances {
  readonly position: number;
  readonly time: number;
  readonly grace: boolean;
  readonly prior: Entry | undefined;
  /** Refuses a change of an entity that states no expected version. False if not given. */
  readonly mustExpect?: boolean;
}

interface TimerQuery {
  readonly time: number;
  /** Asks only the timers that run in the grace period. */
  readonly grace: boolean;
  readonly limit: number;
}

export interface Decided {
  readonly outcome: Outcome;
  readonly events: readonly Event[];
  readonly attachment: JsonObject | undefined;
  /** The entry to append. Undefined if nothing is recorded. */
  readonly entry: Entry | undefined;
  readonly replayed: boolean;
  /** The error of a rule that threw. */
  readonly defect: unknown;
}

/** This build cannot read the history. The node must stop and report it. */
export class UnknownHistoryError extends Error {
  override readonly name = "UnknownHistoryError";
}

export class Machine {
  readonly #options: MachineOptions;
  readonly #state: State;
  readonly #rules = new Map<string, Rule>();
  readonly #folds = new Map<string, Fold[]>();
  readonly #reactions = new Map<string, Reaction[]>();
  readonly #restsOn = new Map<string, RestsOn[]>();
  readonly #timers: Timer[] = [];
  readonly #frame: DecideFrame;
  /** The last durable state. */
  readonly durable: StateReader;

  constructor(options: MachineOptions) {
    this.#options = options;
    const features = inOrderOfNeed(options.features);
    this.#state = new State(features.flatMap((feature) => feature.tables));
    this.durable = new DurableView(this.#state);
    for (const feature of features) this.#register(feature);
    this.#frame = new DecideFrame(this.#state, options.knownRules, {
      fold: (event, entry) => {
        this.#foldEvent(event, entry);
      },
      reactionsTo: (type) => this.#reactions.get(type),
      restsOn: (type) => this.#restsOn.get(type),
      mark: () => this.#state.undo.mark(),
      undoTo: (mark) => {
        this.#state.undo.undoTo(mark);
      },
    });
  }

  decide(command: Command, circumstances: Circumstances): Decided {
    const { prior } = circumstances;
    const settings = this.#options.settings(this.#state);
    if (prior !== undefined) {
      const { outcome, replayed } = replayOf(prior, command, circumstances.time, settings.idempotencyWindowMs);
      return { ...unrecorded(outcome), events: replayed ? prior.events : [], replayed };
    }
    const rule = this.#rules.get(command.operation);
    if (rule === undefined) return unrecorded(refusal("operation_unknown", { operation: command.operation }));
    const issues = rule.check(command.input);
    if (issues !== undefined) {
      return unrecorded(refusal("input_invalid", { issues: issues.map((issue) => ({ ...issue })) }));
    }
    const { position, time, grace, mustExpect = false } = circumstances;
    return this.#apply(rule, command, { position, time, grace, rules: settings.rules, mustExpect });
  }

  /** Folds an entry of the journal. */
  fold(entry: Entry): void {
    if (!this.knowsRules(entry.rules)) {
      throw new UnknownHistoryError(
        `entry ${String(entry.position)} was decided by rules ${String(entry.rules)}, which this build does not know`,
      );
    }
    for (const event of entry.events) this.#foldEvent(event, entry);
    this.#state.undo.settle();
  }

  knowsRules(rules: number): boolean {
    return this.#options.knownRules.includes(rules);
  }

  get settings(): MachineSettings {
    return this.#options.settings(this.#state);
  }

  /** All decisions since the last call are durable. */
  settle(): void {
    this.#state.undo.settle();
  }

  /** Rolls back every decision that is not durable. */
  undo(): void {
    this.#state.undo.undoTo(0);
  }

  /** True while a decision is not durable. */
  get isUnsettled(): boolean {
    return !this.#state.undo.isEmpty;
  }

  /**
   * Time of the next due timer, if any. It may be too early, but is exact if it is not after `time`. During the grace
   * period only some timers fire.
   */
  nextTime({ time, grace = false }: { readonly time: number; readonly grace?: boolean }): number | undefined {
    let next: number | undefined;
    for (const timer of this.#timers) {
      if (grace && timer.runsInGrace !== true) continue;
      const due = timer.nextTime(this.#state, time);
      if (due !== undefined && (next === undefined || due < next)) next = due;
    }
    return next;
  }

  /** True if a timer may be set that waits for the end of the grace period. */
  get hasLeases(): boolean {
    return this.#timers.some(
      (timer) => timer.runsInGrace !== true && timer.nextTime(this.#state, -Infinity) !== undefined,
    );
  }

  due({ time, grace, limit }: TimerQuery): readonly TimerCommand[] {
    const asked = grace ? this.#timers.filter(({ runsInGrace }) => runsInGrace === true) : this.#timers;
    return asked.flatMap((timer) => timer.due(this.#state, time, limit)).slice(0, limit);
  }

  /** Every row in a fixed order; equal states give equal dumps. */
  dump(): Iterable<DumpedRow> {
    return this.#state.dump();
  }

  /** Loads saved rows into an empty machine. Loading equals folding. */
  load(rows: Iterable<DumpedRow>): void {
    for (const row of rows) this.#state.load(row);
    this.#state.undo.settle();
    this.#state.capture();
  }

  /** The rows that changed since the last call. The state must be settled. */
  capture(): readonly RowChange[] {
    return this.#state.capture();
  }

  #register(feature: Feature): void {
    for (const [operation, rule] of Object.entries(feature.rules)) {
      if (this.#rules.has(operation)) throw new Error(`two features have a rule for ${operation}`);
      this.#rules.set(operation, rule);
    }
    for (const [type, fold] of Object.entries(feature.folds)) {
      this.#folds.set(type, [...(this.#folds.get(type) ?? []), fold]);
    }
    for (const [type, reaction] of Object.entries(feature.reactions)) {
      this.#reactions.set(type, [...(this.#reactions.get(type) ?? []), reaction]);
    }
    for (const [type, restsOn] of Object.entries(feature.restsOn ?? {})) {
      this.#restsOn.set(type, [...(this.#restsOn.get(type) ?? []), restsOn]);
    }
    this.#timers.push(...feature.timers);
  }

  #apply(rule: Rule, command: Command, point: DecisionPoint): Decided {
    const mark = this.#state.undo.mark();
    try {
      const frame = this.#frame.begin(command, point);
      const decision = rule.decide(command.input as never, frame);
      const { again } = decision;
      if (again !== undefined) {
        this.#state.undo.undoTo(mark);
        // The state includes every entry before this one.
        const position = point.position - 1;
        return unrecorded(refusal("check_stale", again === true ? { position } : { position, wanted: { ...again } }));
      }
      for (const event of decision.events) frame.emit(event);
      const { events } = frame;
      const { position, time, grace, rules } = point;
      const isKept = command.key !== undefined && decision.freesKey !== true && !isRequestFault(decision.outcome);
      const isRecorded = events.length > 0 || isKept || decision.isAudited === true;
      return {
        outcome: decision.outcome,
        events,
        attachment: decision.attachment,
        entry: isRecorded ? { ...command, position, time, rules, grace, outcome: decision.outcome, events } : undefined,
        replayed: false,
        defect: undefined,
      };
    } catch (defect) {
      this.#state.undo.undoTo(mark);
      return { ...unrecorded(refusal("internal_error", { command_id: command.id })), defect };
    }
  }

  #foldEvent(event: Event, entry: FoldedEntry): void {
    const folds = this.#folds.get(event.type);
    if (folds === undefined) {
      throw new UnknownHistoryError(
        `entry ${String(entry.position)} holds an event of type ${event.type}, which this build does not know`,
      );
    }
    for (const fold of folds) fold(this.#state, event, entry);
  }
}

/** Refusals that depend on the request alone. */
const requestFaults = new Set(["input_invalid", "path_invalid", "concurrency_etag_required"]);

/** True for a refusal whose key stays unused, so that the caller may correct the request and reuse the key. */
function isRequestFault(outcome: Outcome): boolean {
  return outcome.kind === "refusal" && requestFaults.has(outcome.code);
}

function unrecorded(outcome: Outcome): Decided {
  return { outcome, events: [], attachment: undefined, entry: undefined, replayed: false, defect: undefined };
}
