import type { Command, Event } from "./entry.ts";
import type { DecideContext, EntryFacts, Reaction, RestsOn } from "./feature.ts";
import type { StateReader } from "./state.ts";

/** Where and when a command is decided, and by which rules. */
export interface Place {
  readonly position: number;
  readonly time: number;
  readonly grace: boolean;
  readonly rules: number;
}

/** What the frame asks of its machine. */
export interface FrameMachine {
  readonly fold: (event: Event, facts: EntryFacts) => void;
  readonly reactionsTo: (type: string) => readonly Reaction[] | undefined;
  readonly restsOn: (type: string) => RestsOn | undefined;
}

/** Events of one entry, reactions included. More is a defect in a feature, such as two that react to each other. */
const eventsMax = 10_000;

/**
 * What a rule sees while it decides, and the list of what it emits: each event is folded at once, then whatever reacts
 * to it comes after it. There is one per machine, filled anew for each command: decisions come one at a time, and one
 * that had to be made for each of them would cost as much as a small decision itself.
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
  events: Event[] = [];

  constructor(state: StateReader, knownRules: readonly number[], machine: FrameMachine) {
    this.state = state;
    this.knownRules = knownRules;
    this.#machine = machine;
  }

  begin(command: Command, place: Place): this {
    this.command = command;
    this.position = place.position;
    this.time = place.time;
    this.grace = place.grace;
    this.rules = place.rules;
    this.events = [];
    return this;
  }

  /** A property, so that a rule may take it out of its context. */
  readonly emit = (event: Event): void => {
    if (this.events.length >= eventsMax) throw new Error(`one entry would hold more than ${String(eventsMax)} events`);
    this.events.push(event);
    this.#machine.fold(event, this.#facts());
    const reactions = this.#machine.reactionsTo(event.type);
    if (reactions === undefined) return;
    for (const react of reactions) for (const more of react(event, this)) this.emit(more);
  };

  readonly restsOn = (event: { readonly type: string; readonly subject: string }, position: number): boolean =>
    this.#machine.restsOn(event.type)?.(this.state, event.subject, position) ?? true;

  #facts(): EntryFacts {
    const { position, time } = this;
    const { principal, agent, operation } = this.command;
    return agent === undefined
      ? { position, time, principal, operation }
      : { position, time, principal, agent, operation };
  }
}
