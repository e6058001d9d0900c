/**
 * The subjects that may receive answers. Holdfast publishes an answer with its own NATS rights, and the sender of a message
 * names the subject. Without a limit a sender could reach every subject that Holdfast may publish to, such as its events
 * or the API of JetStream.
 */
import { meshSubjects } from "@holdfast/sdk/contract";
import { ownInboxPrefix } from "./own-inbox-prefix.ts";

/** The prefix of the inboxes that NATS clients create by default. */
export const defaultReplyPrefixes: readonly string[] = ["_INBOX."];

/** Maximum length of a reply address, and of a prefix. */
const addressMax = 512;
const plainSubject = /^[^\s*>.]+(\.[^\s*>.]+)*$/u;

export class ReplyAddresses {
  readonly prefixes: readonly string[];

  /** The prefixes have no fault, see `replyPrefixesFault`. */
  constructor(prefixes: readonly string[] = defaultReplyPrefixes) {
    this.prefixes = prefixes;
  }

  /** Whether a subject may receive an answer: a subject without wildcards and empty tokens, below one of the prefixes. */
  allows(address: string): boolean {
    if (address.length > addressMax || !plainSubject.test(address)) return false;
    return this.prefixes.some((prefix) => address.startsWith(prefix));
  }
}

/** The reason why these prefixes cannot be used, and what to do; undefined if they can. */
export function replyPrefixesFault(prefixes: readonly string[]): string | undefined {
  if (prefixes.length === 0) {
    return "nats_reply_prefixes is empty, so no request could be answered: remove it, or set it to _INBOX.";
  }
  for (const prefix of prefixes) {
    const fault = prefixFault(prefix);
    if (fault !== undefined) return `nats_reply_prefixes cannot contain ${JSON.stringify(prefix)}: ${fault}`;
  }
  return undefined;
}

function prefixFault(prefix: string): string | undefined {
  if (!prefix.endsWith(".")) return "a prefix ends with a dot, such as _INBOX.";
  if (prefix.length > addressMax) return `a prefix has at most ${addressMax} characters`;
  if (prefix.includes("$")) return "subjects with $ belong to the nats-server; use a prefix such as _INBOX.";
  const subject = prefix.slice(0, -1);
  if (!plainSubject.test(subject)) {
    return "a prefix has no wildcard, no space and no empty token; use a prefix such as _INBOX.";
  }
  const [first = ""] = subject.split(".");
  const own: readonly string[] = [...Object.values(meshSubjects), ownInboxPrefix];
  if (!own.includes(first)) return undefined;
  return `an answer would be treated as a message of Holdfast's own subjects ${first}.>; use a prefix such as _INBOX.`;
}
