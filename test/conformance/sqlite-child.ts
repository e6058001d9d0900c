/**
 * A process that owns a data folder. Tests kill it or limit its resources. It executes the commands on its standard input
 * and replies to each with one line of JSON:
 *   append N     appends one batch of N indexed entries
 *   run N        appends such batches forever, and replies with the position after each
 *   head         replies with the position of the head
 */
import { createInterface } from "node:readline";
import { writeSync } from "node:fs";
import { argv, exit, stdin } from "node:process";
import { JournalError } from "../../server/src/journal/journal.ts";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { appendIndexed } from "./indexed-sample.ts";

const [, , folder = "", tailRows = "50"] = argv;

function reply(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

function replyError(error: unknown): void {
  if (!(error instanceof JournalError)) throw error;
  reply({ code: error.code, certain: error.certain, message: error.message });
}

try {
  const journal = await openSqliteJournal({ folder, startedAt: "2026-11-15T12:00:00Z", tailRows: Number(tailRows) });
  reply({ position: (await journal.head()).position });
  for await (const line of createInterface({ input: stdin })) {
    const [verb, count = "1"] = line.split(" ");
    try {
      do {
        if (verb !== "head") await appendIndexed(journal, Number(count), Number(count));
        reply({ position: (await journal.head()).position });
      } while (verb === "run");
    } catch (error) {
      replyError(error);
    }
  }
  await journal.close();
} catch (error) {
  replyError(error);
  exit(1);
}
