import type { CallReply } from "@holdfast/sdk";

const defect = {
  outcome: { kind: "refusal", code: "internal_error", data: {} },
  position: 0,
  replayed: false,
  events: [],
};

/** A reply as a message. Without one the call met a defect, of which the caller learns only that. */
export function replyText(id: number, reply: CallReply | undefined): string {
  return `{"kind":"reply","id":${id},${JSON.stringify(reply ?? defect).slice(1)}`;
}
