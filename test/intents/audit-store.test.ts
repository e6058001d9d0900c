/** The audit log in the store. The tests of the audit file prove the copy in a file. */
import { test } from "node:test";
import { open } from "holdfast";
import { shareJournal } from "../nodes/postgres-nodes.ts";
import { processPostgres } from "../nodes/process-postgres.ts";
import { folderFor } from "../socket/with-server.ts";
import { assertAudited, assertAuditStore } from "./audit-store.ts";

test("the audit log on SQLite has every event once and in order, also after a restart [B9 B10 B11]", async (t) => {
  const folder = await folderFor(t);
  for (const check of [assertAuditStore, assertAudited]) {
    await using client = await open(folder);
    await check(client);
  }
});

test("the audit log on Postgres has every event once and in order, on each node [B9 B10 B11]", async () => {
  const shared = shareJournal(await processPostgres());
  try {
    const [first, second] = [await shared.node(), await shared.node()];
    await assertAuditStore(first.client);
    // An entry of the second node follows those of the first.
    await second.client.entities.create("plan", "1", {});
    await assertAudited(second.client);
  } finally {
    await shared.close();
  }
});
