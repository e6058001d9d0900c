/** A program that appends faster than the index thread writes, and has nothing else that keeps it running. */
import { argv } from "node:process";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { appendIndexed } from "./indexed-sample.ts";

const [, , folder = ""] = argv;
const journal = await openSqliteJournal({ folder, startedAt: "today", tailRows: 20 });
for (let batch = 0; batch < 40; batch += 1) await appendIndexed(journal, 40, 40);
console.log((await journal.head()).position);
await journal.close();
