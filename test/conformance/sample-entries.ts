/** Entries and batches for tests. arbitrary-entries.ts has random ones. */
import type { Head, Journal } from "../../server/src/journal/journal.ts";
import { seal, type SealedBatch } from "../../server/src/journal/seal.ts";
import type { Entry } from "../../server/src/machine/entry.ts";

export type ChangeEntry = (index: number) => Partial<Omit<Entry, "position">>;

export const everything = { entries: 1_000_000, bytes: 1_000_000_000 } as const;

/** `count` entries that follow a head. */
export function sampleEntries(after: Head, count: number, change: ChangeEntry = () => ({})): readonly Entry[] {
  return Array.from({ length: count }, (_, index) => {
    const position = after.position + 1 + index;
    return {
      id: `command-${position}`,
      operation: "acquire-lock",
      principal: "tester",
      input: { paths: [`project/${position}`], mode: "write" },
      position,
      time: after.time + index,
      rules: 1,
      grace: false,
      outcome: { kind: "done", data: { fence: position } },
      events: [{ type: "lock-acquired", subject: `lock/project/${position}`, data: { fence: position } }],
      ...change(index),
    };
  });
}

/** Salts that depend only on positions, so that equal entries get equal hashes in every journal. */
export function sampleSalts(after: Head, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => (after.position + 1 + index).toString(16).padStart(32, "0"));
}

export function sealSample(entries: readonly Entry[], after: Head): SealedBatch {
  return seal(entries, after, sampleSalts(after, entries.length));
}

export function sampleBatch(after: Head, count: number, change?: ChangeEntry): SealedBatch {
  return sealSample(sampleEntries(after, count, change), after);
}

/** Appends `count` entries after the journal's head and returns them. */
export async function appendSample(journal: Journal, count: number, change?: ChangeEntry): Promise<readonly Entry[]> {
  const batch = sampleBatch(await journal.head(), count, change);
  const { kind } = await journal.append(batch);
  if (kind !== "appended") throw new Error(`The sample was not appended: ${kind}.`);
  return batch.entries;
}
