import { callRefusal } from "@holdfast/sdk/call-refusal";
import type { CallReply } from "@holdfast/sdk";
import type { InputFault } from "@holdfast/sdk/json/input-fault";

const defect = callRefusal("internal_error", {});

/** A reply as a message. Without one the call met a defect, of which the caller learns only that. */
export function replyText(id: number, reply: CallReply | undefined): string {
  return `{"kind":"reply","id":${id},${JSON.stringify(reply ?? defect).slice(1)}`;
}

/** The refusal of a call whose input is not canonical. It never reaches the engine, so it has no position. */
export function malformedText(id: number, fault: InputFault): string {
  const outcome = { kind: "refusal", code: "input_malformed", data: { ...fault } } as const;
  return replyText(id, { outcome, position: 0, replayed: false, events: [] });
}
