import { callRefusal } from "@holdfast/sdk/call-refusal";
import type { CallReply } from "@holdfast/sdk";

const defect = callRefusal("internal_error", {});

/** A reply as a message. Without one the call met a defect, of which the caller learns only that. */
export function replyText(id: number, reply: CallReply | undefined): string {
  return `{"kind":"reply","id":${id},${JSON.stringify(reply ?? defect).slice(1)}`;
}
