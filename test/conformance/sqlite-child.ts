/**
 * A process that owns a data folder, for tests that need one to kill or to starve. It does what the lines on its
 * standard input say and answers each with one line of JSON:
 *   append N     appends one batch of N indexed entries
 *   run N        appends such batches for ever, and tells the position after each
 *   head
 */
import { createInterface } from "node:readline";
import { writeSync } from "node:fs";
import { argv, exit, stdin } from "node:process";
import { JournalError } from "../../server/src/journal/journal.ts";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { appendIndexed } from "./indexed-sample.ts";

const [, , folder = "", tailRows = "50"] = argv;

function say(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

function sayError(error: unknown): void {
  if (!(error instanceof JournalError)) throw error;
  say({ code: error.code, certain: error.certain, message: error.message });
}

try {
  const journal = await openSqliteJournal({ folder, startedAt: "2026-11-15T12:00:00Z", tailRows: Number(tailRows) });
  say({ position: (await journal.head()).position });
  for await (const line of createInterface({ input: stdin })) {
    const [verb, count = "1"] = line.split(" ");
    try {
      do {
        if (verb !== "head") await appendIndexed(journal, Number(count), Number(count));
        say({ position: (await journal.head()).position });
      } while (verb === "run");
    } catch (error) {
      sayError(error);
    }
  }
  await journal.close();
} catch (error) {
  sayError(error);
  exit(1);
}
