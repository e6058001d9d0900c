import type { StateReader } from "../../machine/state.ts";
import { checkName } from "./language/check/verdict.ts";
import { userCountTable } from "./item-tables.ts";
import type { MutationEvidence } from "./mutation-evidence.ts";
import { currentHash, findItem, itemPath } from "./program-value.ts";
import type { FoundProgram } from "./program-value.ts";

/**
 * Whether everything that a check read is still the same. A refusal needs it as much as an acceptance: an error on old
 * data is no error.
 */
export function fits(state: StateReader, { row, value }: FoundProgram, evidence: MutationEvidence): boolean {
  const { settings } = value;
  const isSameProgram =
    evidence.check === checkName &&
    evidence.structure === value.structure &&
    evidence.settings.cases === settings.cases &&
    evidence.settings.steps === settings.steps;
  if (!isSameProgram) return false;
  const id = row.id;
  const { bases, reads, users } = evidence;
  if (!Object.entries(bases).every(([item, hash]) => currentHash(state, id, item) === hash)) return false;
  if (reads === "all") return evidence.chain === value.chain;
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

/** 128 bits of a hash: an agent must not be able to make two versions that look the same to a check. */
function currentRead(state: StateReader, programId: string, { item, sort }: ReadItem): string {
  const value = findItem(state, programId, item);
  if (value === undefined || value.kind === "module") return `${sort}none`;
  const hash = sort === "s:" && value.kind === "function" ? value.signature_hash : value.hash;
  return `${sort}${hash.slice(0, 32)}`;
}
