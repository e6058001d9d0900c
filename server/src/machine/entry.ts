import type { Json, JsonObject } from "@holdfast/sdk/json/json";

/** One request to run an operation: its name, its input and its principal. The engine gives every command an id. */
export interface Command {
  readonly id: string;
  readonly operation: string;
  readonly principal: string;
  readonly agent?: string;
  /** The caller's idempotency key. Its scope is the principal and the operation. */
  readonly key?: string;
  /** The caller's span in a trace (W3C `traceparent`). No decision depends on it. */
  readonly trace?: string;
  readonly input: Json;
  /**
   * The result of a check or of another finding outside the machine. The server makes it, never a caller. It is not
   * compared when a key is reused, because a retry may find something else.
   */
  readonly evidence?: Json;
}

/** The result of a command. It holds codes and data only. The door renders sentences. */
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

/** A fact in an entry. `subject` names its entity, lock or agent (`document/42`). The journal indexes history by it. */
export interface Event {
  readonly type: string;
  readonly subject: string;
  readonly data: JsonObject;
}

/**
 * A decided command in the journal. Positions start at 1 and have no gaps. `time` is the engine's time in milliseconds,
 * chosen before the decision. It never goes back along the journal.
 */
export interface Entry extends Command {
  readonly position: number;
  readonly time: number;
  /** The rules number that decided the entry. */
  readonly rules: number;
  /** True during the grace after a start or a stall: no overdue lease may be expired. */
  readonly grace: boolean;
  readonly outcome: Outcome;
  readonly events: readonly Event[];
  /** Position of the entry that erased the payload of this one. It then has no evidence, and no data of input, outcome and events. */
  readonly erased?: number;
}

/**
 * A memo of the last prefix of each operation: most commands of an operation come from one principal. It affects speed
 * only, never the result, so the machine stays pure.
 */
const prefixes = new Map<string, { readonly principal: string; readonly text: string }>();
/** Maximum remembered operations. Beyond it the memo is cleared, because names in a journal are not limited. */
const prefixesMax = 512;

type KeyedCommand = Pick<Command, "principal" | "operation"> & { readonly key?: string | undefined };

/** The scope of a keyed command as a JSON array of principal, operation and key. The agent is not part of it. */
export function keyScope(command: KeyedCommand): string | undefined {
  const { principal, operation, key } = command;
  if (key === undefined) return undefined;
  let prefix = prefixes.get(operation);
  if (prefix?.principal !== principal) {
    if (prefixes.size >= prefixesMax) prefixes.clear();
    prefix = { principal, text: `[${JSON.stringify(principal)},${JSON.stringify(operation)},` };
    prefixes.set(operation, prefix);
  }
  return `${prefix.text}${JSON.stringify(key)}]`;
}
