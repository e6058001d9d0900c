import type { ProblemCode } from "../contract/core-problems.ts";
import type { Address } from "./address.ts";
import type { CallReply } from "./transport.ts";

/** The reply to a call that no server answered. */
export function unanswered(code: ProblemCode, data: Readonly<Record<string, unknown>>): CallReply {
  return { outcome: { kind: "refusal", code, data }, position: 0, replayed: false, events: [] };
}

/** Where nobody answered, for the sentence about it. */
export function whereOf({ url, from }: Address, why: string): { readonly url: string; readonly reason: string } {
  const plain = url.href.replace(/\/$/u, "");
  return { url: plain, reason: `${plain}, which is ${from}: ${why}` };
}
