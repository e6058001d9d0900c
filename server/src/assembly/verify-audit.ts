/** Verifies audit files: each line by its sum, the lines by their chain and, with a data folder, by the journal. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";
import { auditMembers, isEntityChange } from "../app/reads/audit-item.ts";
import { isUpkeep } from "../app/watch/entry-filter.ts";
import { epochAt } from "../features/space/space-table.ts";
import type { Entry } from "../machine/entry.ts";
import { auditLine, parseAuditLine } from "../services/audit-file/audit-line.ts";
import type { ParsedAuditLine } from "../services/audit-file/audit-line.ts";
import { orderAuditFiles, readAuditFiles } from "../services/audit-file/read-audit-files.ts";
import type { ReadAuditLine } from "../services/audit-file/read-audit-files.ts";
import type { DataFolder } from "./data-folder.ts";
import { machineOf } from "./open.ts";

/** The first wrong line. */
interface AuditFault {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

export interface VerifiedAudit {
  readonly ok: boolean;
  readonly files: readonly string[];
  readonly lines: number;
  /** The position before the first line: greater than 0 if older files were removed. */
  readonly after: number;
  /** The position of the last line. */
  readonly to: number;
  /** The number of restored histories that the files mark. */
  readonly restores: number;
  /** Whether bytes follow the last line feed. */
  readonly isTorn: boolean;
  /** Entries of the journal that no line contains yet; undefined without a journal. */
  readonly missing: number | undefined;
  readonly fault: AuditFault | undefined;
}

/** The audit files of a data folder. */
export async function auditFilesOf(data: string): Promise<readonly string[]> {
  const folder = join(data, "audit");
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => /^audit.*\.ndjson$/u.test(name)).map((name) => join(folder, name));
}

export async function verifyAudit(paths: readonly string[], journal: DataFolder | undefined): Promise<VerifiedAudit> {
  const files = await orderAuditFiles(paths);
  const chain = await verifyChain(files);
  if (chain.fault !== undefined || journal === undefined) {
    return { ...chain.counted, files, ok: chain.fault === undefined, missing: undefined, fault: chain.fault };
  }
  const { missing, fault } = await compareWithJournal(files, { journal, ...chain });
  return { ...chain.counted, files, ok: fault === undefined, missing, fault };
}

type Counted = Pick<VerifiedAudit, "lines" | "after" | "to" | "restores" | "isTorn">;

/** A mark of a lost history, by the number of lines before it. */
interface LostMark {
  readonly index: number;
  readonly position: number;
}

interface ChainResult {
  readonly counted: Counted;
  readonly lost: readonly LostMark[];
  readonly fault: AuditFault | undefined;
}

async function verifyChain(files: readonly string[]): Promise<ChainResult> {
  const lost: LostMark[] = [];
  let [lines, after, isTorn]: [number, number, boolean] = [0, 0, false];
  let last: ParsedAuditLine | undefined;
  const counted = (): Counted => ({ lines, after, to: last?.position ?? after, restores: lost.length, isTorn });
  for await (const read of readAuditFiles(files)) {
    const { line } = read;
    const isTornEnd = !read.isWhole && read.file === files.at(-1);
    if (isTornEnd) isTorn = true;
    else if (line === undefined) return { counted: counted(), lost, fault: faultAt(read, "its sum does not match") };
    else {
      const what = last === undefined ? undefined : chainFault(last, line);
      if (what !== undefined) return { counted: counted(), lost, fault: faultAt(read, what) };
      if (last === undefined) after = line.prev;
      if (line.isLost) lost.push({ index: lines, position: line.position });
      lines += 1;
      last = line;
    }
  }
  return { counted: counted(), lost, fault: undefined };
}

function faultAt({ file, number }: ReadAuditLine, what: string): AuditFault {
  return { file, line: number, what };
}

function chainFault(last: ParsedAuditLine, line: ParsedAuditLine): string | undefined {
  const { position, prev, epoch, isLost } = line;
  if (prev !== last.position)
    return `it follows position ${prev}, but the line before it has position ${last.position}`;
  if (isLost) return epoch > last.epoch && position < prev ? undefined : `its epoch ${epoch} is not a new one`;
  if (position <= prev) return `its position ${position} is not after ${prev}`;
  return epoch < last.epoch ? `its epoch ${epoch} is before ${last.epoch}` : undefined;
}

interface JournalComparison extends ChainResult {
  readonly journal: DataFolder;
}

interface ComparisonResult {
  readonly missing: number;
  readonly fault: AuditFault | undefined;
}

/** Each line must equal its entry, and each entry between two lines must have one. Lines of a lost history are left out. */
async function compareWithJournal(
  files: readonly string[],
  { journal, lost, counted: { after } }: JournalComparison,
): Promise<ComparisonResult> {
  const epoch = epochsOf(journal);
  const entries = journal.entries({ after })[Symbol.iterator]();
  const nextShown = (): Entry | undefined => {
    for (let next = entries.next(); next.done !== true; next = entries.next())
      if (!isUpkeep(next.value)) return next.value;
    return undefined;
  };
  let index = 0;
  for await (const read of readAuditFiles(files)) {
    const { line } = read;
    if (line === undefined) continue;
    const isUndone = lost.some((mark) => mark.index > index && mark.position < line.position);
    index += 1;
    if (line.isLost || isUndone) continue;
    const entry = nextShown();
    const what = entryFault(line, entry, epoch);
    if (what !== undefined) return { missing: 0, fault: faultAt(read, what) };
  }
  let missing = 0;
  while (nextShown() !== undefined) missing += 1;
  return { missing, fault: undefined };
}

function entryFault(line: ParsedAuditLine, entry: Entry | undefined, epoch: (position: number) => number) {
  if (entry === undefined) return `the journal has no entry at position ${line.position}`;
  if (entry.position !== line.position) return `the journal has the entry ${entry.position} before it, without a line`;
  const { value } = line;
  const expected = expectedLine(entry, epoch(entry.position), value);
  const names = entry.erased === undefined ? compared : comparedWhenErased;
  const wrong = names.find((name) => !sameJson(value[name] ?? null, expected[name] ?? null));
  return wrong === undefined ? undefined : `its ${wrong} differs from the journal`;
}

/** Members that an erasure does not remove from the entry. */
const comparedWhenErased = ["epoch", "time", "by", "operation", "outcome"] as const;
const compared = [...comparedWhenErased, "subjects", "records", "changes"] as const;

/** The line that the entry makes. The revision before a change is not in the entry, so it is taken from the line. */
function expectedLine(entry: Entry, epoch: number, found: JsonObject): JsonObject {
  const members = auditMembers(entry);
  const priors = (found["changes"] as readonly JsonObject[] | undefined) ?? [];
  const changes = entry.events.filter(isEntityChange).map(({ subject, data: { version } }, index) => ({
    subject,
    version: version as number,
    prior_revision: priors[index]?.["prior_revision"] ?? null,
    revision: `${epoch}.${version as number}`,
  }));
  return parseAuditLine(auditLine({ ...members, epoch, changes }, 0))?.value ?? {};
}

/** Folds the epochs of the journal. */
function epochsOf(journal: DataFolder): (position: number) => number {
  const machine = machineOf([]);
  for (const entry of journal.entries({ after: 0, subject: "space" })) machine.fold(entry);
  return (position) => epochAt(machine.durable, position);
}
