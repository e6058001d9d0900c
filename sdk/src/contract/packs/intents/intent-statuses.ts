/** The statuses of intents and their transitions, as data. */

export const intentStatuses = ["received", "normalized", "processed", "corrected", "completed", "failed"] as const;
export type IntentStatus = (typeof intentStatuses)[number];

/** The statuses that follow each status. Decisions, documents and tests read this table. */
export const intentTransitions: Readonly<Record<IntentStatus, readonly IntentStatus[]>> = {
  received: ["normalized", "processed", "failed"],
  normalized: ["processed", "completed", "failed"],
  processed: ["processed", "corrected", "completed", "failed"],
  corrected: ["corrected", "completed", "failed"],
  completed: [],
  failed: [],
};

/** The word in lower case if the list has it. Only A to Z are mapped, and nothing is trimmed. */
export function knownWord<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  const lower = text.replace(/[A-Z]/gu, (letter) => letter.toLowerCase());
  return words.find((word) => word === lower);
}
