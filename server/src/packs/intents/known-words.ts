/** Statuses, modes and strategies are accepted in upper and lower case. An unknown word is refused with the known ones. */
import { intentStatuses, intentTransitions, knownWord } from "@holdfast/sdk/contract";
import type { IntentStatus } from "@holdfast/sdk/contract";
import type { Decision } from "../../machine/feature.ts";
import { refused } from "./guard-intent.ts";

/** The word in lower case, or the refusal. `fallback` stands for an absent word. */
export function readWord<Word extends string>(
  words: readonly Word[],
  member: string,
  { text, fallback }: { readonly text: string | undefined; readonly fallback: Word },
): Word | Decision {
  if (text === undefined) return fallback;
  return knownWord(words, text) ?? refused("intents.status_unknown", { member, value: text, known: [...words] });
}

export function readStatus(member: string, text: string): IntentStatus | Decision {
  return readWord(intentStatuses, member, { text, fallback: "received" });
}

export function isRefusal<Value>(value: Value | Decision): value is Decision {
  return typeof value === "object" && value !== null && "outcome" in value;
}

/** Refuses a status that cannot follow the current one. */
export function transitionFault(id: string, status: IntentStatus, to: IntentStatus): Decision | undefined {
  const allowed = intentTransitions[status];
  if (allowed.includes(to)) return undefined;
  return refused("intents.transition_invalid", { intent_id: id, status, to, allowed: [...allowed] });
}

export function isFinal(status: IntentStatus): boolean {
  return intentTransitions[status].length === 0;
}

/** Refuses a change of an intent that is completed or failed. */
export function finalFault(id: string, status: IntentStatus): Decision | undefined {
  if (!isFinal(status)) return undefined;
  return refused("intents.transition_invalid", { intent_id: id, status, allowed: [] });
}
