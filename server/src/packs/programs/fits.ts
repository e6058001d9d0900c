import type { StateReader } from "../../machine/state.ts";
import { checkName } from "./language/check/verdict.ts";
import { userCountTable } from "./item-tables.ts";
import type { MutationFindings } from "./mutation-findings.ts";
import { findItem, itemPath, markLength, markOf } from "./program-value.ts";
import type { FoundProgram } from "./program-value.ts";

/**
 * Whether everything that a check read is still the same. A refusal needs it as much as an acceptance: an error on old
 * data is not an error.
 */
export function fits(
  state: StateReader,
  { row, value }: FoundProgram,
  findings: Omit<MutationFindings, "writes">,
): boolean {
  const { settings } = value;
  const isSameProgram =
    findings.check === checkName &&
    findings.structure === value.structure &&
    findings.settings.cases === settings.cases &&
    findings.settings.steps === settings.steps;
  if (!isSameProgram) return false;
  const id = row.id;
  const { bases, reads, users } = findings;
  if (!Object.entries(bases).every(([item, mark]) => currentMark(state, id, item) === mark)) return false;
  if (reads === "all") return findings.chain === value.chain;
  const counts = state.rows(userCountTable);
  return (
    Object.entries(reads).every(([item, read]) => currentRead(state, id, { item, sort: read.slice(0, 2) }) === read) &&
    Object.entries(users).every(([item, count]) => (counts.get(itemPath(id, item))?.users ?? 0) === count)
  );
}

interface ReadItem {
  readonly item: string;
  /** `h:` reads the content, `s:` only the signature. */
  readonly sort: string;
}

function currentMark(state: StateReader, programId: string, item: string): string | null {
  const value = findItem(state, programId, item);
  return value === undefined ? null : markOf(value);
}

function currentRead(state: StateReader, programId: string, { item, sort }: ReadItem): string {
  const value = findItem(state, programId, item);
  if (value === undefined || value.kind === "module") return `${sort}none`;
  const hash = sort === "s:" && value.kind === "function" ? value.signature_hash : value.hash;
  return `${sort}${hash.slice(0, markLength)}`;
}
