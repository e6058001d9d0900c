import type { ProblemCode } from "../contract/core-problems.ts";
import type { CallReply } from "./transport.ts";

/** The reply to a call that no server answered. */
export function unanswered(code: ProblemCode, data: Readonly<Record<string, unknown>>): CallReply {
  return { outcome: { kind: "refusal", code, data }, position: 0, replayed: false, events: [] };
}
