import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { journalSuite } from "./journal-suite.ts";
import { execChildSync } from "../scenario/spawn-child.ts";

for (const [name, tailRows] of [
  ["SQLite", 40_000],
  ["SQLite, with an index that is flushed all the time,", 5],
] as const) {
  journalSuite({
    name,
    shared: false,
    archives: true,
    async create() {
      const base = await mkdtemp(join(tmpdir(), "holdfast-journal-"));
      let folder = join(base, "data");
      return {
        open: () => openSqliteJournal({ folder, startedAt: "today", tailRows }),
        async crash(journal) {
          // A copy of the files in use is what a crash leaves. Copied by another process: to open and close a database
          // file here would drop the locks that this process has on it.
          execChildSync("cp", ["-r", folder, join(base, "after-crash")]);
          await journal.close();
          folder = join(base, "after-crash");
        },
        loseIndex: () => rm(join(folder, "index.db")),
        cleanUp: () => rm(base, { recursive: true }),
      };
    },
  });
}
