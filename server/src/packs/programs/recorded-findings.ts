/**
 * The recorded form of the findings of a check. It leaves out members with their usual value, and bases that the caller
 * expects. A changed function is recorded as its difference from the base, so bases are compared before it is applied.
 */
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { isObject } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { StateReader } from "../../machine/state.ts";
import { fnv1a } from "../fnv-1a.ts";
import { changedFunction, functionChange } from "./function-change.ts";
import type { FunctionChange } from "./function-change.ts";
import { checkName } from "./language/check/verdict.ts";
import { defaultSettings } from "./language/function-value.ts";
import type { FunctionValue } from "./language/function-value.ts";
import type { ItemWrite, MutationFindings } from "./mutation-findings.ts";
import { findItem, markLength } from "./program-value.ts";
import type { ItemValue } from "./program-value.ts";

/**
 * A difference from a base. A hash has no ids of nodes, and two bases with one hash can have different ids. So the
 * numbers of the base are compared too.
 */
interface RecordedDifference extends FunctionChange {
  readonly item: string;
  /** The mark of the numbers of the base. */
  readonly numbers: number;
}

/** A write as it is recorded. */
type RecordedWrite = ItemWrite | RecordedDifference;

/** Findings whose writes depend on their bases. */
export type RecordedFindings = MutationFindings<RecordedWrite>;

const { cases, steps } = defaultSettings;

const usual: JsonObject = {
  ...{ settings: { cases, steps }, bases: {}, reads: {}, users: {}, writes: [], created: [] },
  ...{ new_calls: [], types: [], errors: [], is_invalid: false },
};

const usualVerdict: JsonObject = { check: checkName, ok: true, untested: 0, warnings: 0, too_large: false };

const unusual = (members: JsonObject, known: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(([name, member]) => !(name in known && sameJson(member, known[name] ?? null))),
  );

/** The hashes that the caller expects, by id or by item. */
type ExpectedHashes = Readonly<Record<string, string>>;

/** The hash that the caller expects of a touched item. An id can be a word such as `constructor`. */
export function expectedHash(expected: ExpectedHashes, item: string): string | undefined {
  const name = [item, item.slice(item.indexOf("/") + 1)].find((each) => Object.hasOwn(expected, each));
  return name === undefined ? undefined : expected[name];
}

const isDifference = (write: RecordedWrite): write is RecordedDifference => "members" in write;

/** A mark of everything in a function that has ids of nodes. */
const numbersOf = ({ params, requires, ensures, body, next }: FunctionValue): number =>
  fnv1a(JSON.stringify([params, requires, ensures, body, next]));

/** `before` gives the items that the check saw. */
export function evidenceOf(
  findings: MutationFindings,
  expected: ExpectedHashes,
  before: (item: string) => ItemValue | undefined,
): Json {
  const writes = findings.writes.map((write): RecordedWrite => {
    const base = before(write.item);
    if (base?.kind !== "function" || write.value?.kind !== "function") return write;
    return { item: write.item, numbers: numbersOf(base), ...functionChange(base, write.value) };
  });
  const verdict = unusual(findings.verdict, usualVerdict);
  const bases = unusual(findings.bases, expectedMarks(expected, Object.keys(findings.bases)));
  const users = unusual(findings.users, noUsers(writes));
  return unusual({ ...findings, bases, users, writes, verdict } as unknown as JsonObject, usual);
}

/** Undefined if the evidence is of another check. */
export function findingsOf(
  evidence: Json | undefined,
  { expected, touched }: { readonly expected: ExpectedHashes; readonly touched: readonly string[] },
): RecordedFindings | undefined {
  if (!isObject(evidence) || evidence["check"] !== checkName) return undefined;
  const found = { ...usual, ...evidence } as unknown as RecordedFindings;
  return {
    ...found,
    bases: { ...expectedMarks(expected, touched), ...found.bases },
    users: { ...noUsers(found.writes), ...found.users },
    verdict: { ...usualVerdict, ...found.verdict },
  };
}

function expectedMarks(expected: ExpectedHashes, items: readonly string[]): Readonly<Record<string, string>> {
  const marks = items.flatMap((item) => {
    const hash = expectedHash(expected, item);
    return hash === undefined || item.startsWith("module/") ? [] : [[item, hash.slice(0, markLength)]];
  });
  return Object.fromEntries(marks) as Record<string, string>;
}

/** A function that is recorded as a difference has no users, unless their number is recorded. */
function noUsers(writes: readonly RecordedWrite[]): Readonly<Record<string, number>> {
  return Object.fromEntries(writes.filter(isDifference).map(({ item }) => [item, 0]));
}

/** Whether each difference was made from the current function, ids included. */
export function hasCurrentNumbers(findings: RecordedFindings, state: StateReader, programId: string): boolean {
  return findings.writes.filter(isDifference).every(({ item, numbers }) => {
    const base = findItem(state, programId, item);
    return base?.kind === "function" && numbersOf(base) === numbers;
  });
}

/** The findings with whole values. Every base must be the current item. */
export function wholeFindings(findings: RecordedFindings, state: StateReader, programId: string): MutationFindings {
  const writes = findings.writes.map((write): ItemWrite => {
    if ("value" in write) return write;
    const base = findItem(state, programId, write.item);
    if (base?.kind !== "function") throw new Error(`${write.item} is not a function, and its evidence is a difference`);
    return { item: write.item, value: changedFunction(base, write) };
  });
  return { ...findings, writes };
}
