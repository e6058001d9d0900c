/** Statuses, modes and strategies are accepted in upper and lower case. An unknown word is refused with the known ones. */
import { intentStatuses, knownWord } from "@holdfast/sdk/contract";
import type { IntentStatus } from "@holdfast/sdk/contract";
import type { Decision } from "../../machine/feature.ts";
import { refused } from "../../features/locks/rules/owner.ts";

/** The word in lower case, or the refusal. `fallback` is used for an absent word. */
export function readWord<Word extends string>(
  words: readonly Word[],
  member: string,
  { text, fallback }: { readonly text: string | undefined; readonly fallback: Word },
): Word | Decision {
  if (text === undefined) return fallback;
  const known = knownWord(words, text);
  if (known !== undefined) return known;
  const reason = `${member} is one of ${words.join(", ")}`;
  return refused("intents.status_unknown", { member, value: text, known: [...words], reason });
}

export function readStatus(member: string, text: string): IntentStatus | Decision {
  return readWord(intentStatuses, member, { text, fallback: "received" });
}

export function isRefusal<Value>(value: Value | Decision): value is Decision {
  return typeof value === "object" && value !== null && "outcome" in value;
}
