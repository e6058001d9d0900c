import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { openInlineIndexThread } from "./inline-index-thread.ts";
import { journalSuite } from "./journal-suite.ts";
import { execChildSync } from "../scenario/spawn-child.ts";

for (const [name, tailRows] of [
  ["SQLite", 40_000],
  ["SQLite, with an index that is flushed continuously,", 5],
] as const) {
  journalSuite({
    name,
    isShared: false,
    canArchive: true,
    async create() {
      const base = await mkdtemp(join(tmpdir(), "holdfast-journal-"));
      let folder = join(base, "data");
      return {
        open: () => openSqliteJournal({ folder, startedAt: "today", tailRows, openThread: openInlineIndexThread }),
        async crash(journal) {
          // A copy of the open files equals the files after a crash. Another process copies them, because opening and
          // closing a database file here would drop the locks of this process on it.
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
