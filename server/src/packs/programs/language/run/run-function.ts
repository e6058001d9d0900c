import { defined } from "@holdfast/sdk/base/defined";
import type { Json } from "@holdfast/sdk/json/json";
import { isObject } from "@holdfast/sdk/json/json";
import { newCheckCaches } from "../check/check-caches.ts";
import { compiledScope } from "../check/compiled-scope.ts";
import { execute, newExecution, runCase, type CaseOutcome, type RunStatus } from "../check/run-case.ts";
import { definitionIn } from "../check/types.ts";
import { Typings } from "../check/typings.ts";
import type { HashContent } from "../hash.ts";
import type { FunctionGraph } from "../node.ts";
import { graphOf } from "../pack.ts";
import type { ProgramScope } from "../program-scope.ts";
import type { Pause, RunFailure, TraceEntry } from "./frame.ts";
import { runLimits } from "./limits.ts";
import { type FindDefinition, shownValue, type Value, valueFromJson, valueToJson, WrongValue } from "./values.ts";

interface FunctionRun {
  readonly status: RunStatus;
  readonly result?: Json;
  readonly steps: number;
  readonly failure?: RunFailure;
  readonly output: readonly string[];
  readonly trace?: readonly ShownStep[];
}

interface ShownStep {
  readonly node_id: number;
  readonly op: string;
  readonly inputs: readonly string[];
  readonly output: string;
}

interface RunOptions {
  readonly steps: number;
  readonly console?: readonly string[];
  readonly trace?: boolean;
  readonly pause?: Pause | undefined;
}

/** Inputs as a list in the order of the parameters, or as an object by their names. Throws WrongValue. */
function readInputs(graph: FunctionGraph, inputs: Json, find: FindDefinition): readonly Value[] {
  const count = graph.parameters.length;
  const given = isObject(inputs) ? inputs : undefined;
  const list = Array.isArray(inputs) ? (inputs as readonly Json[]) : undefined;
  const size = list?.length ?? Object.keys(given ?? {}).length;
  if (size !== count) throw new WrongValue(`${graph.name} has ${count} parameters, and ${size} inputs were sent`);
  return graph.parameters.map(({ name, type }, index) => {
    const input =
      list === undefined ? (given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined) : list[index];
    if (input === undefined) throw new WrongValue(`The input ${name} is missing`);
    return valueFromJson(input, type, find);
  });
}

/** A value of a trace: its type is not recorded, so it is shown as text. */
function shownStep({ node_id, op, inputs, output }: TraceEntry): ShownStep {
  return { node_id, op, inputs: inputs.map(shownValue), output: shownValue(output) };
}

/** Simulates a verified function. Throws WrongValue if the inputs do not fit. */
export function runFunction(
  scope: ProgramScope,
  id: string,
  inputs: Json,
  options: RunOptions,
): FunctionRun | undefined {
  const value = scope.function(id);
  if (value === undefined) return undefined;
  const graph = graphOf(value);
  const find: FindDefinition = (type) => definitionIn(scope, type);
  const values = readInputs(graph, inputs, find);
  const program = compiledScope(scope, new Typings(scope, newCheckCaches()));
  const run = execute(program, id, values, newExecution(runLimits(options.steps, options.pause), options));
  const { steps, output, trace } = run.execution;
  return {
    status: run.status,
    ...defined({
      result: run.status === "returned" ? valueToJson(run.result, graph.result, find) : undefined,
      failure: run.failure,
      trace: options.trace === true ? trace.map(shownStep) : undefined,
    }),
    steps,
    output,
  };
}

interface FunctionTest {
  readonly cases: number;
  readonly passed: number;
  readonly seed: string;
  readonly failures: readonly { readonly failure: RunFailure; readonly inputs: Json }[];
}

/** Runs generated cases of one verified function. It yields after each case. */
export function* testFunction(
  scope: ProgramScope,
  id: string,
  { cases, seed, hash, pause }: { cases: number; seed?: string; hash: HashContent; pause?: Pause | undefined },
): Generator<void, FunctionTest | undefined> {
  const value = scope.function(id);
  if (value === undefined) return undefined;
  const find: FindDefinition = (type) => definitionIn(scope, type);
  const program = compiledScope(scope, new Typings(scope, newCheckCaches()));
  const usedSeed = seed ?? value.hash;
  const failed: Extract<CaseOutcome, { kind: "failed" }>[] = [];
  let passed = 0;
  for (let number = 0; number < cases && failed.length < 10; number += 1) {
    const outcome = runCase({ program, find, hash, pause }, id, { seed: usedSeed, number });
    if (outcome.kind === "passed") passed += 1;
    if (outcome.kind === "failed") failed.push(outcome);
    yield;
  }
  const graph = graphOf(value);
  const failures = failed.map(({ failure, inputs }) => ({
    failure,
    inputs: Object.fromEntries(
      graph.parameters.map(({ name, type }, index) => [name, valueToJson(inputs[index] ?? null, type, find)]),
    ),
  }));
  return { cases, passed, seed: usedSeed, failures };
}
