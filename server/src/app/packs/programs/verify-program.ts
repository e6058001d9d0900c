/** Reads that the thread of checks answers: they need the whole program, or run its functions. */
import type { MutationStep } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { CheckError } from "../../../checks/check.ts";
import type { Engine } from "../../../engine/engine.ts";
import type { Outcome } from "../../../machine/entry.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import { checkName } from "../../../packs/programs/language/check/verdict.ts";
import { touchedBy } from "../../../packs/programs/mutate.ts";
import type { AppRead, AppReadContext } from "../../reads/app-read.ts";
import type { ProgramQuestion } from "./answer-question.ts";
import { pastItems } from "./past-items.ts";
import { Verifications } from "./verifications.ts";

/** Maximum time of a question. */
const questionMs = 60_000;

async function askThread({ services, agent }: AppReadContext, question: ProgramQuestion): Promise<Outcome> {
  const { checks, engine, clock } = services;
  const deadline = new AbortController();
  const expire = (): void => {
    deadline.abort();
  };
  const cancel = clock.after(questionMs, expire, { keepAlive: false });
  const asked = { unit: question.program_id, question: question as unknown as Json, agent: agent ?? null };
  try {
    const answer = await checks.ask(checkName, { ...asked, after: engine.head.position }, deadline.signal);
    return outcomeOf(answer as JsonObject, question.program_id);
  } catch (error) {
    if (error instanceof CheckError) return refusal(error.code, { reason: error.message });
    throw error;
  } finally {
    cancel();
  }
}

function outcomeOf(answer: JsonObject, programId: string): Outcome {
  const { missing, wrong } = answer;
  if (missing === null) return refusal("programs.not_found", { kind: "program", id: programId, nearest: [] });
  if (typeof missing === "string") return refusal("programs.not_found", { kind: "function", id: missing, nearest: [] });
  if (typeof wrong === "string") return refusal("input_invalid", { issues: [{ pointer: "/inputs", message: wrong }] });
  return done(answer);
}

interface ProgramInput {
  readonly program_id: string;
}

interface FunctionInput extends ProgramInput {
  readonly function_id: string;
}

const read = <Input extends ProgramInput>(ask: (input: Input) => ProgramQuestion): AppRead => ({
  view: "keys",
  run: (input: Input, context) => askThread(context, ask(input)),
});

/** Verifications by engine and program. */
const verifications = new WeakMap<Engine, Map<string, Verifications>>();

/**
 * One verification of a program runs at a time: it is the longest work that a read can cause. Callers share a run that
 * begins after their call, or at the position of their call.
 */
export const verifyProgram: AppRead = {
  view: "keys",
  run({ program_id, function_ids = null }: ProgramInput & { function_ids?: readonly string[] | null }, context) {
    const { engine } = context.services;
    const programs = verifications.get(engine) ?? new Map<string, Verifications>();
    verifications.set(engine, programs);
    const runs = programs.get(program_id) ?? new Verifications();
    programs.set(program_id, runs);
    return runs.run({
      name: JSON.stringify(function_ids),
      position: () => engine.head.position,
      verify: () => askThread(context, { ask: "verify", program_id, function_ids }),
      idle: () => programs.delete(program_id),
    });
  },
};

export const exportProgram = read(({ program_id, after }: ProgramInput & { readonly after?: string }) => ({
  ...{ ask: "export", program_id, after: after ?? null },
}));

export const checkMutation = read(
  ({ program_id, mutations }: ProgramInput & { mutations: readonly MutationStep[] }) => {
    const touched = touchedBy(mutations);
    return { ask: "check", program_id, touched, wanted: { kind: "steps", steps: mutations, touched, expected: {} } };
  },
);

interface SimulateInput extends FunctionInput {
  readonly inputs: Json;
  readonly steps?: number;
  readonly trace?: boolean;
  readonly console?: readonly string[];
  readonly position?: number;
}

export const simulateFunction: AppRead = {
  view: "keys",
  async run(input: SimulateInput, context) {
    const { program_id, function_id, inputs, steps = 1_000_000, trace = false, console = [], position } = input;
    const past = position === undefined ? null : await pastItems(context.services.engine, input, position);
    if (past !== null && "kind" in past) return past;
    return askThread(context, { ask: "simulate", program_id, function_id, inputs, steps, trace, console, past });
  },
};

export const testProgramFunction = read(
  ({ program_id, function_id, cases = 100, seed }: FunctionInput & { cases?: number; seed?: string }) => ({
    ...{ ask: "test", program_id, function_id, cases, seed: seed ?? null },
  }),
);

interface CallsInput extends FunctionInput {
  readonly direction?: "callers" | "callees";
  readonly depth?: number;
  readonly limit?: number;
}

export const listCalls = read((input: CallsInput) => {
  const { program_id, function_id, direction = "callers", depth = 100, limit = 100 } = input;
  return { ask: "calls", program_id, function_id, direction, depth, limit };
});
