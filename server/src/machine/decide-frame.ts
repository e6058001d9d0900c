import type { Command, Event } from "./entry.ts";
import type { DecideContext, FoldedEntry, Reaction, RestsOn } from "./feature.ts";
import type { StateReader } from "./state.ts";

/** Position, time and rules number of a decision. */
export interface DecisionPoint {
  readonly position: number;
  readonly time: number;
  readonly grace: boolean;
  readonly rules: number;
  readonly mustExpect: boolean;
}

/** The members of the machine that the frame uses. */
interface FrameMachine {
  readonly fold: (event: Event, entry: FoldedEntry) => void;
  readonly reactionsTo: (type: string) => readonly Reaction[] | undefined;
  readonly restsOn: (type: string) => readonly RestsOn[] | undefined;
  readonly mark: () => number;
  readonly undoTo: (mark: number) => void;
}

/**
 * Maximum events of one entry, reactions included. More is a bug in a feature, such as two features that react to each
 * other.
 */
const eventsMax = 20_000;

/**
 * The context of a rule, and the list of the events that it emits. Each event is folded at once, then the reactions to
 * it follow. Each machine has one frame, refilled for each command. Decisions run one at a time, and a new frame per
 * decision would cost as much as a small decision.
 */
export class DecideFrame implements DecideContext {
  readonly state: StateReader;
  readonly knownRules: readonly number[];
  readonly #machine: FrameMachine;
  command: Command = { id: "", operation: "", principal: "", input: null };
  position = 0;
  time = 0;
  grace = false;
  rules = 0;
  mustExpect = false;
  events: Event[] = [];
  /** The entry as the folds of this decision read it. It is made for the first event. */
  #entry: FoldedEntry | undefined;

  constructor(state: StateReader, knownRules: readonly number[], machine: FrameMachine) {
    this.state = state;
    this.knownRules = knownRules;
    this.#machine = machine;
  }

  begin(command: Command, point: DecisionPoint): this {
    this.command = command;
    this.position = point.position;
    this.time = point.time;
    this.grace = point.grace;
    this.rules = point.rules;
    this.mustExpect = point.mustExpect;
    this.events = [];
    this.#entry = undefined;
    return this;
  }

  /** A property, so that a rule may destructure it from its context. */
  readonly emit = (event: Event): void => {
    if (this.events.length >= eventsMax) throw new Error(`one entry would hold more than ${String(eventsMax)} events`);
    // Most entries have one event. A literal has room for it alone, and a push would make room for 17.
    if (this.events.length === 0) this.events = [event];
    else this.events.push(event);
    this.#entry ??= this.#foldedEntry();
    this.#machine.fold(event, this.#entry);
    const reactions = this.#machine.reactionsTo(event.type);
    if (reactions === undefined) return;
    for (const react of reactions) for (const more of react(event, this)) this.emit(more);
  };

  readonly attempt: DecideContext["attempt"] = (run, isKept) => {
    const [mark, count] = [this.#machine.mark(), this.events.length];
    const result = run();
    if (isKept(result)) return result;
    this.#machine.undoTo(mark);
    this.events.length = count;
    return result;
  };

  readonly restsOn = (event: { readonly type: string; readonly subject: string }, position: number): boolean =>
    this.#machine.restsOn(event.type)?.some((restsOn) => restsOn(this.state, event.subject, position)) ?? true;

  #foldedEntry(): FoldedEntry {
    const { position, time } = this;
    const { principal, agent, operation, key } = this.command;
    if (agent === undefined)
      return key === undefined
        ? { position, time, principal, operation }
        : { position, time, principal, operation, key };
    return key === undefined
      ? { position, time, principal, agent, operation }
      : { position, time, principal, agent, operation, key };
  }
}
