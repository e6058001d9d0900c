import { defined } from "@holdfast/sdk/base/defined";
import type { Command, Entry, Event, Outcome } from "../machine/entry.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { Decided } from "../machine/machine.ts";
import { refusal } from "../machine/refusal.ts";

/** A request of a caller, before it becomes a command. */
export interface EngineRequest {
  readonly operation: string;
  readonly input: Json;
  readonly principal: string;
  readonly agent?: string | undefined;
  readonly key?: string | undefined;
  /** See Command. */
  readonly evidence?: Json | undefined;
  /** See Command. */
  readonly trace?: string | undefined;
  /** The key for fair queueing. Callers are served round-robin, and the commands of one caller keep their order. */
  readonly caller: string;
  /** Approximate size of the input and the evidence as text. */
  readonly bytes: number;
  /** Maximum wait for the decision. */
  readonly deadlineMs?: number | undefined;
  /** See Circumstances. */
  readonly mustExpect?: boolean | undefined;
}

export interface Reply {
  readonly outcome: Outcome;
  readonly events: readonly Event[];
  /** The position of the entry. Without an entry, the position of the last entry that the decision was based on. */
  readonly position: number;
  /** Data of the reply in addition to the recorded outcome. Undefined if it must be read from history. */
  readonly attachment: JsonObject | undefined;
  /** True if this is the recorded outcome of an earlier use of the same key. */
  readonly replayed: boolean;
}

/** Makes the command of a request. Each case has its own literal, because every command passes this hot path. */
export function commandOf(request: EngineRequest, id: string): Command {
  const { operation, principal, agent, key, trace, input, evidence } = request;
  if (trace !== undefined || evidence !== undefined)
    return defined({ id, operation, principal, agent, key, trace, input, evidence });
  if (agent === undefined) {
    return key === undefined ? { id, operation, principal, input } : { id, operation, principal, key, input };
  }
  return key === undefined
    ? { id, operation, principal, agent, input }
    : { id, operation, principal, agent, key, input };
}

/** A reply that refuses a command without a decision. */
export function refusalReply(code: string, data: JsonObject, position: number): Reply {
  return { outcome: refusal(code, data), events: [], position, attachment: undefined, replayed: false };
}

export function replyOf(decided: Decided, position: number): Reply {
  const { outcome, events, attachment, replayed } = decided;
  return { outcome, events, position, attachment, replayed };
}

/** The reply to a command that was found in the journal after its append failed with an unknown result. */
export function replyFromEntry(entry: Entry): Reply {
  return {
    outcome: entry.outcome,
    events: entry.events,
    position: entry.position,
    attachment: undefined,
    replayed: false,
  };
}
