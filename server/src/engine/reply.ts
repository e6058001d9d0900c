import type { Command, Entry, Event, Outcome } from "../machine/entry.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { Decided } from "../machine/machine.ts";
import { refusal } from "../machine/refusal.ts";

/** A wish as a door hands it over. */
export interface EngineRequest {
  readonly operation: string;
  readonly input: Json;
  readonly principal: string;
  readonly agent?: string | undefined;
  readonly key?: string | undefined;
  /** See Command. */
  readonly trace?: string | undefined;
  /** Commands of different callers take turns; those of one caller stay in order. */
  readonly caller: string;
  /** About how many bytes the input has as text. */
  readonly bytes: number;
  /** How long it may wait to be decided. */
  readonly deadlineMs?: number | undefined;
  /** See Circumstances. */
  readonly mustExpect?: boolean | undefined;
}

export interface Reply {
  readonly outcome: Outcome;
  readonly events: readonly Event[];
  /** The entry's position; if nothing was recorded, that of the last entry that the decision had seen. */
  readonly position: number;
  /** What a reply shows besides the recorded outcome; undefined if it must be had from history. */
  readonly attachment: JsonObject | undefined;
  /** True if this is the recorded outcome of an earlier use of the same key. */
  readonly replayed: boolean;
}

/** The command that a request becomes. One literal for each case: this is on the way of everything. */
export function commandOf(request: EngineRequest, id: string): Command {
  const { operation, principal, agent, key, trace, input } = request;
  if (trace !== undefined) {
    const author = agent === undefined ? { principal } : { principal, agent };
    return { id, operation, ...author, ...(key === undefined ? {} : { key }), trace, input };
  }
  if (agent === undefined) {
    return key === undefined ? { id, operation, principal, input } : { id, operation, principal, key, input };
  }
  return key === undefined
    ? { id, operation, principal, agent, input }
    : { id, operation, principal, agent, key, input };
}

/** An answer that says why nothing was decided. */
export function refusalReply(code: string, data: JsonObject, position: number): Reply {
  return { outcome: refusal(code, data), events: [], position, attachment: undefined, replayed: false };
}

export function replyOf(decided: Decided, position: number): Reply {
  const { outcome, events, attachment, replayed } = decided;
  return { outcome, events, position, attachment, replayed };
}

/** The answer to a command that was found in the journal after its append had seemed to fail. */
export function replyFromEntry(entry: Entry): Reply {
  return {
    outcome: entry.outcome,
    events: entry.events,
    position: entry.position,
    attachment: undefined,
    replayed: false,
  };
}
