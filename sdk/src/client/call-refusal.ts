import type { CallReply } from "./transport/transport.ts";

/** The reply to a call that was refused without an entry. Its position is that of the last entry that is known. */
export function callRefusal(code: string, data: Readonly<Record<string, unknown>>, position = 0): CallReply {
  return { outcome: { kind: "refusal", code, data }, position, replayed: false, events: [] };
}
