/**
 * The check of a program after a change. Level 0 covers the changed items, level 1 everything affected, and level 2
 * everything affected that has conditions. Long work yields about every 5 ms, counted in steps and nodes.
 */
import { type Diagnostic, severityOf } from "../diagnostic.ts";
import type { HashContent } from "../hash.ts";
import type { ProgramScope } from "../program-scope.ts";
import type { ProgramSettings } from "../function-value.ts";
import type { Pause } from "../run/frame.ts";
import { affectedItems, type ItemIds } from "./affected.ts";
import { hasConditions, runCases } from "./cases.ts";
import type { CheckCaches } from "./check-caches.ts";
import type { ItemPath } from "../item-components.ts";
import { functionPath, ownHash, reachableItems, typePath } from "./closures.ts";
import { checkFunctionShape, checkTypeShape, workOf } from "./function-shape.ts";
import { type ItemFinding, placeFindings } from "./place-findings.ts";
import { typingReads, Typings } from "./typings.ts";

/** The name of the check. Another generator, other limits or other rules need another name. */
export const checkName = "programs/1";

export interface Verdict {
  readonly check: string;
  readonly ok: boolean;
  /** Functions and types that were checked. */
  readonly checked: number;
  readonly tested: number;
  readonly untested: number;
  readonly cases: number;
  readonly steps: number;
  readonly warnings: number;
  /** True if the check needs more steps than `settings.steps`. The change is refused then. */
  readonly too_large: boolean;
  readonly errors: readonly Diagnostic[];
}

export interface ProgramCheckResult {
  readonly verdict: Verdict;
  readonly diagnostics: readonly Diagnostic[];
  /** The items that the verdict depends on: `h:` and the hash, or `s:` and the signature's hash, of 32 digits each. */
  readonly reads: Readonly<Record<string, string>>;
  /** Functions whose set of callers was read. */
  readonly callers: readonly string[];
  /** Types whose set of users was read. */
  readonly types: readonly string[];
}

interface CheckJob {
  readonly scope: ProgramScope;
  readonly changed: ItemIds;
  readonly settings: ProgramSettings;
  readonly caches: CheckCaches;
  readonly hash: HashContent;
  readonly pause?: Pause | undefined;
}

/** Nodes that are checked between two yields: about 5 ms. */
const nodesOfSlice = 2_000;

function* checkLevels(job: CheckJob, affected: ItemIds, typings: Typings): Generator<void, readonly ItemFinding[]> {
  const { scope, changed } = job;
  const findings: ItemFinding[] = [];
  let slice = 0;
  const [changedFunctions, changedTypes] = [new Set(changed.functions), new Set(changed.types)];
  for (const id of affected.types) {
    const shape = changedTypes.has(id) ? checkTypeShape(scope, id) : [];
    const all = shape.length > 0 ? shape : typings.type(id).findings;
    findings.push(...all.map((finding): ItemFinding => ({ kind: "type", id, finding })));
  }
  for (const id of affected.functions) {
    const shape = changedFunctions.has(id) ? checkFunctionShape(scope, id) : [];
    const all = shape.length > 0 ? shape : typings.function(id).findings;
    findings.push(...all.map((finding): ItemFinding => ({ kind: "function", id, finding })));
    slice += workOf(scope, id);
    if (slice < nodesOfSlice) continue;
    slice = 0;
    yield;
  }
  return findings;
}

/** Everything that the levels read about functions and types other than the changed ones. */
function readsOf(scope: ProgramScope, affected: ItemIds, tested: readonly string[]): ReadonlyMap<ItemPath, string> {
  const reads = new Map<ItemPath, string>();
  for (const id of affected.functions) for (const [path, read] of typingReads(scope, id)) reads.set(path, read);
  const whole = [
    ...affected.functions.map(functionPath),
    ...affected.types.map(typePath),
    ...reachableItems(scope, [...tested.map(functionPath), ...affected.types.map(typePath)]),
  ];
  for (const path of whole) reads.set(path, `h:${ownHash(scope, path).slice(0, 32)}`);
  return reads;
}

export function* checkProgram(job: CheckJob): Generator<void, ProgramCheckResult> {
  const { scope, changed, caches } = job;
  const affected = affectedItems(scope, changed);
  const typings = new Typings(scope, caches);
  const early = yield* checkLevels(job, affected, typings);
  const isTyped = !early.some(({ finding }) => severityOf(finding.code) === "error");
  const tested = isTyped ? affected.functions.filter((id) => hasConditions(scope, id)) : [];
  const cases = yield* runCases({ ...job, typings }, tested);
  const changedPaths = new Set([...changed.functions.map(functionPath), ...changed.types.map(typePath)]);
  const findings = [...early, ...cases.findings];
  const diagnostics = placeFindings(scope, findings, changedPaths);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const reads = [...readsOf(scope, affected, tested)].filter(([path]) => !changedPaths.has(path));
  return {
    verdict: {
      check: checkName,
      ok: errors.length === 0 && !cases.isTooLarge,
      checked: affected.functions.length + affected.types.length,
      ...{ tested: cases.tested, untested: cases.untested, cases: cases.cases, steps: cases.steps },
      warnings: findings.filter(({ finding }) => severityOf(finding.code) === "warning").length,
      too_large: cases.isTooLarge,
      errors,
    },
    diagnostics,
    reads: Object.fromEntries(reads.sort(([a], [b]) => (a < b ? -1 : 1))),
    callers: [...new Set([...changed.functions, ...affected.functions])].sort(),
    types: [...new Set([...changed.types, ...affected.types])].sort(),
  };
}

/** Runs a job to its end without a pause. */
export function finish<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
