/** One case: generated inputs, executed. The outcome depends on the function, what it reaches, and the number alone. */
import type { HashContent } from "../hash.ts";
import type { FunctionGraph } from "../node.ts";
import type { CompiledProgram } from "../run/compile.ts";
import {
  type Execution,
  ExecutionFailed,
  type CallFrame,
  firstStepsEnd,
  LimitExceeded,
  type Pause,
  type RunFailure,
  type RunLimits,
} from "../run/frame.ts";
import { caseStepsMax, runLimits } from "../run/limits.ts";
import { type FindDefinition, isVariant, type Value } from "../run/values.ts";
import type { Type } from "../types.ts";
import { CaseRandom, generateInputs } from "./generate.ts";
import { shrinkInputs } from "./shrink.ts";

export type RunStatus = "returned" | "trapped" | "condition_failed" | "out_of_steps";

export interface RunResult {
  readonly status: RunStatus;
  readonly result: Value;
  readonly failure?: RunFailure;
  readonly execution: Execution;
}

export type CaseOutcome =
  | { readonly kind: "passed" | "skipped" | "undecided"; readonly steps: number }
  | {
      readonly kind: "failed";
      readonly steps: number;
      readonly failure: RunFailure;
      readonly inputs: readonly Value[];
      readonly result: Value;
    };

export function newExecution(
  limits: RunLimits,
  options: { console?: readonly string[]; trace?: boolean } = {},
): Execution {
  const { console = [], trace = false } = options;
  return {
    ...{ steps: 0, stepsEnd: firstStepsEnd(limits), depth: 0, memory: 0, outputLength: 0, limits },
    ...{ output: [], console, consoleAt: 0, trace: [] },
    received: trace ? [[]] : undefined,
  };
}

/** Executes a function. Limits, traps and failed conditions are results. */
export function execute(
  program: CompiledProgram,
  id: string,
  inputs: readonly Value[],
  execution: Execution,
): RunResult {
  const frame: CallFrame = { slots: [], execution, result: null };
  try {
    return { status: "returned", result: program.call(frame, id, inputs), execution };
  } catch (error) {
    if (error instanceof LimitExceeded) return { status: "out_of_steps", result: null, execution };
    if (!(error instanceof ExecutionFailed)) throw error;
    const { failure, result } = error;
    return { status: failure.code === "condition.trap" ? "trapped" : "condition_failed", result, failure, execution };
  }
}

/** Maximum tries to generate inputs that satisfy `requires` and invariants. */
const triesMax = 20;
/** Parts of the inputs of a case that cost no steps. */
const freeParts = 1_000;
/** Maximum steps of all runs that make a failing case smaller. */
const shrinkStepsMax = 2_000_000;

export interface CaseSource {
  readonly program: CompiledProgram;
  readonly find: FindDefinition;
  readonly hash: HashContent;
  readonly pause?: Pause | undefined;
}

const caseExecution = ({ pause }: CaseSource): Execution => newExecution(runLimits(caseStepsMax, pause));

/** Inputs that are being tested, and the execution of their `requires` and invariants. All inputs of a case share it. */
interface InputCheck extends CaseSource {
  readonly checking: Execution;
}

/** Whether a generated struct satisfies its invariants. */
function isValid(value: Value, type: Type, source: InputCheck): boolean {
  const { program, find, checking } = source;
  if (type.kind === "named") {
    const definition = find(type.id);
    if (definition === undefined) return true;
    if (isVariant(value)) {
      const member = definition.members.find(({ name }) => name === value.variant);
      return !member?.type || isValid(value.payload, member.type, source);
    }
    const fields = value as readonly Value[];
    const areFine = definition.members.every(
      (member, index) => member.type === null || isValid(fields[index] ?? null, member.type, source),
    );
    return areFine && program.satisfiesInvariants(type.id, fields, checking);
  }
  if (isVariant(value)) {
    const payload =
      type.kind === "option"
        ? type.item
        : type.kind === "result"
          ? value.variant === "ok"
            ? type.ok
            : type.err
          : null;
    return payload === null || value.payload === null || isValid(value.payload, payload, source);
  }
  if (type.kind !== "list" && type.kind !== "array") return true;
  return (value as readonly Value[]).every((item) => isValid(item, type.item, source));
}

/** Whether a run refutes the function. A trap or a lack of steps refutes only a total one. */
function refutes(run: RunResult, isTotal: boolean): boolean {
  return run.status === "condition_failed" || (isTotal && run.status !== "returned");
}

function failureOf(id: string, run: RunResult): RunFailure {
  const lack = `The function is total, and a case needs more than ${caseStepsMax} steps`;
  return run.failure ?? { code: "condition.steps", function_id: id, node_id: null, message: lack };
}

/** One function under test, with the types of its inputs. */
interface TestedFunction {
  readonly source: CaseSource;
  readonly id: string;
  readonly graph: FunctionGraph;
  readonly types: readonly Type[];
}

/** Executes the function. Undefined if the inputs do not satisfy `requires` and the invariants of their types. */
function attempt(
  { source, id, types }: TestedFunction,
  inputs: readonly Value[],
  checking: Execution,
): RunResult | undefined {
  const check = { ...source, checking };
  if (!inputs.every((value, index) => isValid(value, types[index] as Type, check))) return undefined;
  if (!source.program.meetsRequires(id, inputs, checking)) return undefined;
  return execute(source.program, id, inputs, caseExecution(source));
}

/** Runs case `number` of a function whose content is named by `seed`. */
export function runCase(
  source: CaseSource,
  id: string,
  { seed, number }: { seed: string; number: number },
): CaseOutcome {
  const { graph } = source.program.function(id);
  const random = new CaseRandom(source.hash(`${seed}cases/1${number}`));
  const tested: TestedFunction = { source, id, graph, types: graph.parameters.map(({ type }) => type) };
  const checking = caseExecution(source);
  let generated = 0;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const made = generateInputs({ random, find: source.find, graph, number: tries === 0 ? number : undefined });
    if (made === undefined) break;
    generated += made.parts;
    const run = attempt(tested, made.inputs, checking);
    if (run === undefined) continue;
    const steps = run.execution.steps + checking.steps + Math.max(0, generated - freeParts);
    if (!refutes(run, graph.total)) return { kind: run.status === "returned" ? "passed" : "undecided", steps };
    return { kind: "failed", steps, ...smallestFailure(tested, made.inputs, run) };
  }
  return { kind: "skipped", steps: triesMax + checking.steps + Math.max(0, generated - freeParts) };
}

/** The simplest inputs that fail in the same way. */
function smallestFailure(
  tested: TestedFunction,
  inputs: readonly Value[],
  run: RunResult,
): Pick<Extract<CaseOutcome, { kind: "failed" }>, "failure" | "inputs" | "result"> {
  const { source, id, graph, types } = tested;
  const { code } = failureOf(id, run);
  let last = run;
  let steps = 0;
  const fails = (candidate: readonly Value[]): boolean => {
    if (steps > shrinkStepsMax) return false;
    const checking = caseExecution(source);
    const other = attempt(tested, candidate, checking);
    steps += checking.steps + (other?.execution.steps ?? 0);
    if (other === undefined || !refutes(other, graph.total) || failureOf(id, other).code !== code) return false;
    last = other;
    return true;
  };
  const small = shrinkInputs(inputs, types, { find: source.find, fails });
  return { failure: failureOf(id, last), inputs: small, result: last.result };
}
