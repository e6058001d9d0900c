/** Level 2: every function in scope that has something to test is executed on generated cases. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Finding } from "../diagnostic.ts";
import type { HashContent } from "../hash.ts";
import { graphOf } from "../pack.ts";
import type { ProgramScope } from "../program-scope.ts";
import type { ProgramSettings } from "../function-value.ts";
import type { Pause } from "../run/frame.ts";
import { valueToJson } from "../run/values.ts";
import type { CheckCaches } from "./check-caches.ts";
import { ClosureHashes, functionPath } from "./closures.ts";
import { compiledScope } from "./compiled-scope.ts";
import { hasAssert } from "./function-shape.ts";
import type { ItemFinding } from "./place-findings.ts";
import { type CaseOutcome, type CaseSource, runCase } from "./run-case.ts";
import { definitionIn } from "./types.ts";
import type { Typings } from "./typings.ts";

/** Share of `settings.steps` that rounds after the first may use. */
const laterShare = 0.6;
/** Steps of the interpreter between two yields: about 5 ms. */
const stepsOfSlice = 50_000;

interface CasesResult {
  readonly findings: readonly ItemFinding[];
  readonly tested: number;
  readonly untested: number;
  readonly cases: number;
  readonly steps: number;
  /** True if the first round alone needs more than `settings.steps`. Nothing is decided then. */
  readonly isTooLarge: boolean;
}

/** Whether executing a function can refute anything. */
export function hasConditions(scope: ProgramScope, id: string): boolean {
  const value = scope.function(id);
  if (value === undefined) return false;
  const isCalleeBound = (callee: string): boolean => {
    const other = scope.function(callee);
    return other !== undefined && other.requires.length + other.ensures.length > 0;
  };
  return (
    value.total ||
    value.ensures.length > 0 ||
    value.calls.some(isCalleeBound) ||
    value.types.some((type) => (scope.type(type)?.invariants.length ?? 0) > 0) ||
    hasAssert(graphOf(value))
  );
}

interface Tested {
  readonly id: string;
  readonly seed: string;
  readonly key: string;
  passed: number;
  limited: number;
  isDone: boolean;
}

function failureFinding(
  scope: ProgramScope,
  id: string,
  outcome: Extract<CaseOutcome, { kind: "failed" }>,
): ItemFinding {
  const value = scope.function(id);
  const { failure, inputs, steps } = outcome;
  const place = failure.function_id ?? id;
  const graph = value === undefined ? undefined : graphOf(value);
  const find = (type: string): ReturnType<typeof definitionIn> => definitionIn(scope, type);
  const shown = Object.fromEntries(
    (graph?.parameters ?? []).map(({ name, type }, index) => [name, valueToJson(inputs[index] ?? null, type, find)]),
  );
  const resultType = place === id ? graph?.result : undefined;
  const isUnmet = failure.code === "condition.ensures" && resultType !== undefined;
  const finding: Finding = {
    code: failure.code,
    node_id: failure.node_id,
    message: place === id ? failure.message : `${failure.message} (in a case of ${value?.name ?? id})`,
    ...defined({ because: failure.because, condition: failure.condition }),
    ...defined({ case_of: place === id ? undefined : id }),
    inputs: shown,
    ...defined({ result: isUnmet ? valueToJson(outcome.result, resultType, find) : undefined }),
    steps,
  };
  return { kind: "function", id: place, finding };
}

function untestedFinding({ id, limited }: Tested): ItemFinding {
  const reason =
    limited > 0
      ? "every case trapped or needed too many steps"
      : "no generated inputs satisfied requires and the invariants of their types";
  return {
    kind: "function",
    id,
    finding: { code: "condition.untested", node_id: null, message: `No case decided: ${reason}` },
  };
}

interface CasesJob {
  readonly scope: ProgramScope;
  readonly typings: Typings;
  readonly settings: ProgramSettings;
  readonly caches: CheckCaches;
  readonly hash: HashContent;
  readonly pause?: Pause | undefined;
}

/** Rounds over all tested functions: each gets its first case, then each its second, while steps remain. */
export function* runCases(job: CasesJob, ids: readonly string[]): Generator<void, CasesResult> {
  const { scope, settings, caches, hash } = job;
  const source: CaseSource = {
    program: compiledScope(scope, job.typings),
    find: (id) => definitionIn(scope, id),
    hash,
    pause: job.pause,
  };
  const closures = new ClosureHashes(scope, hash);
  const tested = ids.map((id): Tested => ({
    id,
    seed: scope.function(id)?.hash ?? "",
    key: closures.of(functionPath(id)),
    passed: 0,
    limited: 0,
    isDone: false,
  }));
  const findings: ItemFinding[] = [];
  const totals = { cases: 0, steps: 0 };
  let slice = 0;
  for (let number = 0; number < settings.cases; number += 1)
    for (const each of tested) {
      if (each.isDone) continue;
      if (number > 0 && totals.steps > settings.steps * laterShare) break;
      const key = `${each.key}/${number}`;
      const outcome = caches.cases.get(key) ?? runCase(source, each.id, { seed: each.seed, number });
      // A failure has texts with names of other items, and ids of nodes. Neither is part of the key.
      if (outcome.kind !== "failed") caches.cases.set(key, outcome);
      totals.cases += 1;
      totals.steps += outcome.steps;
      if (outcome.kind === "passed") each.passed += 1;
      if (outcome.kind === "undecided") each.limited += 1;
      if (outcome.kind === "failed") {
        each.isDone = true;
        each.passed += 1;
        findings.push(failureFinding(scope, each.id, outcome));
      }
      if (totals.steps > settings.steps) return { findings: [], tested: 0, untested: 0, ...totals, isTooLarge: true };
      slice += outcome.steps + 500;
      if (slice < stepsOfSlice) continue;
      slice = 0;
      yield;
    }
  const untested = tested.filter(({ passed }) => passed === 0);
  return {
    findings: [...findings, ...untested.map(untestedFinding)],
    tested: tested.length - untested.length,
    untested: untested.length,
    ...totals,
    isTooLarge: false,
  };
}
