/** Questions about a whole program, answered in the thread: verification, simulation, tests, calls and export. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { CheckSteps } from "../../../checks/check.ts";
import { fullVerify } from "../../../packs/programs/language/check/full-verify.ts";
import { functionDifference } from "../../../packs/programs/language/difference.ts";
import { exportText } from "../../../packs/programs/language/export-text.ts";
import { runFunction, testFunction } from "../../../packs/programs/language/run/run-function.ts";
import { WrongValue } from "../../../packs/programs/language/run/values.ts";
import { ProgramRows } from "../../../packs/programs/language/program-scope.ts";
import type { ItemKind } from "../../../packs/programs/language/program-scope.ts";
import type { ItemWrite, WantedMutation } from "../../../packs/programs/mutation-findings.ts";
import { asSteps } from "./as-steps.ts";
import { findMutation } from "./find-mutation.ts";
import type { CheckTools } from "./find-mutation.ts";
import type { ProgramSnapshot, ProgramUnit } from "./program-unit.ts";

export type ProgramQuestion = { readonly program_id: string } & (
  | { readonly ask: "check"; readonly wanted: WantedMutation; readonly touched: readonly string[] }
  | { readonly ask: "verify"; readonly function_ids: readonly string[] | null }
  | { readonly ask: "export"; readonly after: string | null }
  | {
      readonly ask: "simulate";
      readonly function_id: string;
      readonly inputs: Json;
      readonly steps: number;
      readonly trace: boolean;
      readonly console: readonly string[];
      /** The items of a past position that the run may reach. Null: the program as it is. */
      readonly past: readonly ItemWrite[] | null;
    }
  | { readonly ask: "test"; readonly function_id: string; readonly cases: number; readonly seed: string | null }
  | {
      readonly ask: "calls";
      readonly function_id: string;
      readonly direction: "callers" | "callees";
      readonly depth: number;
      readonly limit: number;
    }
);

type Answer = Generator<undefined, Json, undefined>;

/** `missing` is the id that the program lacks. Null: the program itself. */
const missing = (id: string | null): JsonObject => ({ missing: id });

export function* answerQuestion(question: ProgramQuestion, unit: ProgramUnit, tools: CheckTools): CheckSteps {
  // A mutation follows those that are not decided yet. Everything else is a read of what was decided.
  const snapshot = question.ask === "check" ? unit.snapshot() : unit.durableSnapshot();
  if (snapshot === undefined) return missing(null);
  try {
    return yield* answer(question, snapshot, tools);
  } finally {
    unit.end(snapshot);
  }
}

function* answer(question: ProgramQuestion, snapshot: ProgramSnapshot, tools: CheckTools): Answer {
  const { scope } = snapshot;
  const absent = namedFunctions(question).find((id) => scope.function(id) === undefined);
  if (absent !== undefined) return missing(absent);
  switch (question.ask) {
    case "check":
      return yield* checkAnswer(question, snapshot, tools);
    case "verify":
      return yield* verifyAnswer(question, snapshot, tools);
    case "export":
      return (exportText(scope, question.after) ?? missing(question.after)) as unknown as Json;
    case "simulate":
      return simulateAnswer(question, snapshot, tools);
    case "test": {
      const { function_id: id, cases, seed } = question;
      const options = { cases, hash: tools.hash, pause: tools.pause, ...defined({ seed: seed ?? undefined }) };
      return (yield* asSteps(testFunction(scope, id, options))) as unknown as Json;
    }
    case "calls":
      return callsAnswer(question, snapshot);
  }
}

/** The functions that the present program must have. */
function namedFunctions(question: ProgramQuestion): readonly string[] {
  if (question.ask === "verify") return question.function_ids ?? [];
  if (!("function_id" in question)) return [];
  return question.ask === "simulate" && question.past !== null ? [] : [question.function_id];
}

function* checkAnswer(
  { wanted, touched }: Extract<ProgramQuestion, { ask: "check" }>,
  snapshot: ProgramSnapshot,
  tools: CheckTools,
): Answer {
  const { scope } = snapshot;
  const { findings, result, draft } = yield* asSteps(findMutation(snapshot, wanted, tools));
  const { verdict, errors, new_calls: read } = findings;
  const { ok, too_large: _large, ...counts } = verdict;
  const warnings = (result?.diagnostics ?? []).filter(({ severity }) => severity === "warning");
  const functions = [...(draft?.changed("function") ?? [])].flatMap(([id, value]) => {
    const before = scope.function(id);
    if (JSON.stringify(before) === JSON.stringify(value)) return [];
    const options = { names: draft?.names ?? scope.names, module: value?.module ?? before?.module ?? "" };
    const changes = before === undefined || value === undefined ? null : functionDifference(before, value, options);
    return [{ function_id: id, hash: value?.hash ?? null, changes }];
  });
  const write = touched.filter((item) => item.startsWith("function/")).map((item) => item.slice(9));
  const shown = { ok, errors, warnings, functions, needs: { write, read } };
  return (findings.is_invalid ? shown : { ...shown, verdict: counts }) as unknown as Json;
}

function* verifyAnswer(
  { function_ids: named }: Extract<ProgramQuestion, { ask: "verify" }>,
  { scope, program, position, revision }: ProgramSnapshot,
  { hash, pause }: CheckTools,
): Answer {
  const options = { settings: program.settings, hash, pause, ...defined({ functions: named ?? undefined }) };
  const found = yield* asSteps(fullVerify(scope, options));
  const { valid, verdict, diagnostics, functions, nodes, wrongHashes } = found;
  const { check, tested, untested, cases, steps } = verdict;
  const of = (sort: string) => diagnostics.filter(({ severity }) => severity === sort);
  return {
    ...{ valid, errors: of("error"), warnings: of("warning"), wrong_hashes: wrongHashes, functions, nodes },
    ...{ tested, untested, cases, steps, position, revision, check },
  } as unknown as Json;
}

/** Inputs that do not fit are the caller's mistake, which the read refuses. */
function simulateAnswer(
  question: Extract<ProgramQuestion, { ask: "simulate" }>,
  snapshot: ProgramSnapshot,
  { pause }: CheckTools,
): Json {
  const { function_id: id, inputs, steps, trace, console, past } = question;
  try {
    return runFunction(past === null ? snapshot.scope : rowsOf(past), id, inputs, {
      steps,
      trace,
      console,
      pause,
    }) as unknown as Json;
  } catch (error) {
    if (error instanceof WrongValue) return { wrong: error.message };
    throw error;
  }
}

function rowsOf(items: readonly ItemWrite[]): ProgramRows {
  const rows = new ProgramRows();
  for (const { item, value } of items) {
    const [kind = "", id = ""] = item.split("/");
    rows.set(kind as ItemKind, id, value ?? undefined);
  }
  return rows;
}

/** Breadth first, each function once. The first way back to the start is a shortest cycle. */
function callsAnswer(question: Extract<ProgramQuestion, { ask: "calls" }>, { scope }: ProgramSnapshot): Json {
  const { function_id: start, direction, depth, limit } = question;
  const next = (id: string): readonly string[] =>
    direction === "callers" ? scope.callersOf(id) : (scope.function(id)?.calls.toSorted() ?? []);
  const depths = new Map([[start, 0]]);
  const reachedFrom = new Map<string, string>();
  let cycleEnd: string | undefined;
  let isTruncated = false;
  for (const [id, at] of depths) {
    for (const other of next(id)) {
      if (other === start) cycleEnd ??= id;
      if (depths.has(other)) continue;
      if (at >= depth || depths.size > limit) isTruncated = true;
      else {
        depths.set(other, at + 1);
        reachedFrom.set(other, id);
      }
    }
  }
  const cycle: string[] = [];
  for (let id = cycleEnd; id !== undefined; id = reachedFrom.get(id)) cycle.unshift(id);
  const items = [...depths].slice(1).map(([id, at]) => ({
    ...{ function_id: id, name: scope.function(id)?.name ?? "", depth: at },
  }));
  return { items, cycle, truncated: isTruncated };
}
