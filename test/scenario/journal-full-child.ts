/**
 * A process whose files cannot grow past a size while it archives or saves a checkpoint, as on a full disk. It reports
 * the outcome, whether other calls worked meanwhile, and the outcome of a retry with space.
 */
import { createHash } from "node:crypto";
import { argv, pid, stdout } from "node:process";
import { JournalError, type LocalJournal } from "../../server/src/journal/journal.ts";
import { appendSample, everything } from "../conformance/sample-entries.ts";
import { openJournal } from "./journal-work.ts";
import { execChildSync } from "./spawn-child.ts";

const [, , folder = "", work = ""] = argv;
const allowed = 64 * 1024;

function limit(bytes: string): void {
  execChildSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]);
}

/** Text that does not compress. */
function noise(seed: number): string {
  return Array.from({ length: 40 }, (_, index) =>
    createHash("sha256").update(`${seed} ${index}`).digest("base64"),
  ).join("");
}

async function attempt(journal: LocalJournal): Promise<string> {
  try {
    if (work === "archive") return `archived to ${(await journal.archive(200)).to}`;
    const head = await journal.head();
    const draft = journal.checkpoints.begin(journal.checkpoints.list()[0]?.head);
    for (let key = 0; key < 200; key += 1) draft?.write([{ table: "t", key: String(key), line: noise(key) }]);
    draft?.commit({ head, rules: 1, stateHash: "x" });
    return `saved ${journal.checkpoints.list().length}`;
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return error.code;
  }
}

const journal = await openJournal(folder);
for (let count = 0; count < 60; count += 1)
  await appendSample(journal, 4, (index) => ({ input: noise(count * 4 + index) }));
await journal.close();
const again = await openJournal(folder);
limit(String(allowed));
const whenFull = await attempt(again);
await appendSample(again, 1);
const { length } = await again.read(0, everything);
limit("unlimited");
const withSpace = await attempt(again);
await again.close();
stdout.write(JSON.stringify({ whenFull, length, withSpace }));
