import { callRefusal } from "@holdfast/sdk/call-refusal";
import type { CallReply } from "@holdfast/sdk";

const defect = callRefusal("internal_error", {});

/** A reply as a message. A call that failed because of a bug gets only that information. */
export function replyText(id: number, reply: CallReply | undefined): string {
  return `{"kind":"reply","id":${id},${JSON.stringify(reply ?? defect).slice(1)}`;
}
