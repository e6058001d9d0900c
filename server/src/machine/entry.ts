import type { Json, JsonObject } from "@holdfast/sdk/json/json";

/** One wish: an operation by name, with its input, from a principal. The engine gives every command an id. */
export interface Command {
  readonly id: string;
  readonly operation: string;
  readonly principal: string;
  readonly agent?: string;
  /** The caller's idempotency key. Its scope is the principal and the operation. */
  readonly key?: string;
  /** The caller's place in a trace (W3C `traceparent`). Nothing is decided by it. */
  readonly trace?: string;
  readonly input: Json;
}

/** What a command came to. It holds codes and data only; sentences are rendered at the door. */
export type Outcome = Done | Refusal;

export interface Done {
  readonly kind: "done";
  readonly data: JsonObject;
}

export interface Refusal {
  readonly kind: "refusal";
  readonly code: string;
  readonly data: JsonObject;
}

/** A fact. `subject` names what it is about (`document/42`); the journal finds a subject's history by it. */
export interface Event {
  readonly type: string;
  readonly subject: string;
  readonly data: JsonObject;
}

/**
 * A decided command in the journal. Positions start at 1 and have no gaps. `time` is the engine's time in
 * milliseconds, chosen before deciding; it never goes back along the journal.
 */
export interface Entry extends Command {
  readonly position: number;
  readonly time: number;
  /** The number of the rules that decided it. */
  readonly rules: number;
  /** True while holders still have time to renew after a start or a stall: nothing overdue may be expired. */
  readonly grace: boolean;
  readonly outcome: Outcome;
  readonly events: readonly Event[];
  /** The position of the entry that erased this one's payload: input, outcome and events hold no data any more. */
  readonly erased?: number;
}

/** The last scope's beginning: most commands that follow each other are of one principal and one operation. */
let last = { principal: "", operation: "", start: '["","",' };

/** The text under which a keyed command is found again, whoever's registration sent it: a JSON array of the three. */
export function keyScope(command: Pick<Command, "principal" | "operation" | "key">): string | undefined {
  const { principal, operation, key } = command;
  if (key === undefined) return undefined;
  if (last.principal !== principal || last.operation !== operation) {
    last = { principal, operation, start: `[${JSON.stringify(principal)},${JSON.stringify(operation)},` };
  }
  return `${last.start}${JSON.stringify(key)}]`;
}
