/** One case: generated inputs, executed. The outcome depends on the function, what it reaches, and the number alone. */
import type { HashContent } from "../hash.ts";
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

export interface CaseSource {
  readonly program: CompiledProgram;
  readonly find: FindDefinition;
  readonly hash: HashContent;
  readonly pause?: Pause | undefined;
}

const caseExecution = ({ pause }: CaseSource): Execution => newExecution(runLimits(caseStepsMax, pause));

/** Whether a generated struct satisfies its invariants. */
function isValid(value: Value, type: Type, source: CaseSource): boolean {
  const { program, find } = source;
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
    return areFine && program.satisfiesInvariants(type.id, fields, caseExecution(source));
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

/** Runs case `number` of a function whose content is named by `seed`. */
export function runCase(
  source: CaseSource,
  id: string,
  { seed, number }: { seed: string; number: number },
): CaseOutcome {
  const { graph } = source.program.function(id);
  const random = new CaseRandom(source.hash(`${seed}cases/1${number}`));
  const types = graph.parameters.map(({ type }) => type);
  const attempt = (inputs: readonly Value[]): RunResult | undefined => {
    if (!inputs.every((value, index) => isValid(value, types[index] as Type, source))) return undefined;
    if (!source.program.meetsRequires(id, inputs, caseExecution(source))) return undefined;
    return execute(source.program, id, inputs, caseExecution(source));
  };
  for (let tries = 0; tries < triesMax; tries += 1) {
    const inputs = generateInputs({ random, find: source.find, graph, number: tries === 0 ? number : undefined });
    const run = attempt(inputs);
    if (run === undefined) continue;
    const { steps } = run.execution;
    if (!refutes(run, graph.total)) return { kind: run.status === "returned" ? "passed" : "undecided", steps };
    const code = failureOf(id, run).code;
    const fails = (candidate: readonly Value[]): boolean => {
      const other = attempt(candidate);
      return other !== undefined && refutes(other, graph.total) && failureOf(id, other).code === code;
    };
    const small = shrinkInputs(inputs, types, { find: source.find, fails });
    const last = attempt(small) ?? run;
    return { kind: "failed", steps, failure: failureOf(id, last), inputs: small, result: last.result };
  }
  return { kind: "skipped", steps: triesMax };
}
