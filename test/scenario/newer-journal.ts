/** Makes a data folder whose only entry was decided by rules 99, which this build does not have. */
import { join } from "node:path";
import { genesis, seal } from "../../server/src/journal/seal.ts";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";

export async function makeNewerJournal(folder: string): Promise<void> {
  const journal = await openSqliteJournal({ folder: join(folder, ".holdfast"), startedAt: "today" });
  const command = { id: "a", operation: "create-entity", principal: "local", input: {} };
  const outcome = { kind: "done", data: {} } as const;
  const decided = { position: 1, time: 1, rules: 99, grace: false, outcome, events: [] };
  await journal.append(seal([{ ...command, ...decided }], genesis, ["salt"]));
  await journal.close();
}
