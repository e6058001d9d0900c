/** Promises of programs at every position, checked when an entry becomes durable. */
import { startBlake3 } from "../../server/src/base/blake3.ts";
import { entityTable, isLive } from "../../server/src/features/entities/entity-table.ts";
import { holdTable } from "../../server/src/features/locks/tables/lock-tables.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { StateReader } from "../../server/src/machine/state.ts";
import { fullVerify } from "../../server/src/packs/programs/language/check/full-verify.ts";
import { finish } from "../../server/src/packs/programs/language/check/verdict.ts";
import { ProgramRows } from "../../server/src/packs/programs/language/program-scope.ts";
import { currentHash, findProgram, itemPath, parseSubject } from "../../server/src/packs/programs/program-value.ts";
import type { ItemValue } from "../../server/src/packs/programs/program-value.ts";
import type { Witness } from "./witness.ts";

export const simulatedHash = await startBlake3();

interface MutatedData {
  readonly what: string;
  readonly items: readonly { readonly item: string; readonly change: string }[];
}

interface MutationOutcome {
  readonly functions: readonly { readonly function_id: string; readonly hash: string | null }[];
}

/** Programs that were found valid, by their content: most entries change one function back or forth. */
const validPrograms = new Set<string>();

/** Checks an entry against the state before it. The returned function checks it against the state after it. */
export function watchProgram(entry: Entry, state: StateReader, witness: Witness): (() => void) | undefined {
  const mutated = entry.events.find(({ type }) => type === "program.mutated");
  if (mutated === undefined) return undefined;
  const { programId = "" } = parseSubject(mutated.subject) ?? {};
  const { what, items } = mutated.data as unknown as MutatedData;
  const detail = (): string => `at position ${entry.position}: ${JSON.stringify([entry.input, mutated.data])}`;
  const before = new Map(items.map(({ item }) => [item, currentHash(state, programId, item)]));
  const isBased = items.every(({ item, change }) => (change === "added") === (before.get(item) === null));
  witness.demand(isBased, "a mutation adds only items that did not exist, and changes only others", detail);
  const { expected_hashes: expected = {} } = entry.input as { expected_hashes?: Record<string, string> };
  const replaced = items.filter(({ item }) => before.get(item) !== null && item.startsWith("function/"));
  if (what !== "import") {
    const isRead = replaced.every(({ item }) => (expected[item] ?? expected[item.slice(9)]) === before.get(item));
    witness.demand(isRead, "a mutation replaces only versions that its agent read", detail);
  }
  const isLocked = replaced.every(({ item }) => holdsWrite(state, entry.agent ?? "", { programId, item }));
  witness.demand(isLocked, "a mutation replaces only functions that its agent has locked", detail);
  return () => {
    const { functions } = entry.outcome.data as unknown as MutationOutcome;
    const isWritten = functions.every(
      ({ function_id: id, hash }) => currentHash(state, programId, `function/${id}`) === hash,
    );
    witness.demand(isWritten, "a mutation writes what was checked", detail);
    witness.demand(isVerified(state, programId), "a program is verified at every position", detail);
  };
}

function holdsWrite(state: StateReader, agent: string, of: { readonly programId: string; item: string }): boolean {
  const path = itemPath(of.programId, of.item);
  const holds = state.rows(holdTable).scan("owner", { limit: Infinity });
  return holds.some((hold) => {
    const isAbove = hold.scope === "tree" && path.startsWith(`${hold.path}/`);
    return hold.owner === agent && hold.mode === "write" && (hold.path === path || isAbove);
  });
}

/** Verifies the whole program, without any cache of a check. */
function isVerified(state: StateReader, programId: string): boolean {
  const program = findProgram(state, programId);
  if (program === undefined) return true;
  const rows = new ProgramRows();
  const marks: string[] = [];
  for (const row of state.rows(entityTable).scan("subject", { prefix: itemPath(programId, ""), limit: Infinity })) {
    const item = parseSubject(row.subject)?.item;
    if (item === undefined || !isLive(row)) continue;
    rows.set(item.kind, item.id, row.value as unknown as ItemValue);
    marks.push(`${item.name} ${JSON.stringify(row.value)}`);
  }
  const mark = marks.join("\n");
  if (validPrograms.has(mark)) return true;
  const { valid } = finish(fullVerify(rows, { settings: program.value.settings, hash: simulatedHash }));
  if (valid) validPrograms.add(mark);
  return valid;
}
