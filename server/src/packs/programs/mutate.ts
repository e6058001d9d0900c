import { isStructureStep, touchedItem } from "@holdfast/sdk/contract";
import type { MutationStep } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { decideMutation } from "./mutation.ts";

interface MutateInput {
  readonly program_id: string;
  readonly mutations: readonly MutationStep[];
  readonly expected_hashes: Readonly<Record<string, string>>;
  readonly description?: string;
  readonly release?: boolean;
  readonly fence?: string;
}

/** Steps of a mutation by text or by node. The items that it touches are known from the input alone. */
export function mutateProgram(input: MutateInput, context: DecideContext): Decision {
  const { program_id: programId, mutations: steps, expected_hashes: expected, description, fence } = input;
  const touched = touchedBy(steps);
  return decideMutation(
    {
      ...{
        programId,
        what: "mutate",
        touched,
        isStructural: steps.some(isStructureStep),
        expected,
        description,
        fence,
      },
      concerned: concernedBy(steps, touched),
      needsProgramLock: false,
      release: input.release === true,
      wanted: { kind: "steps", steps, touched, expected },
    },
    context,
  );
}

/** The existing items. An item that an earlier step of the same mutation adds is new. */
export function touchedBy(steps: readonly MutationStep[]): readonly string[] {
  const added = new Set(
    steps.flatMap((step) => {
      if (step.type === "add_function") return step.function_id === undefined ? [] : [`function/${step.function_id}`];
      if (step.type === "add_type") return step.type_id === undefined ? [] : [`type/${step.type_id}`];
      return step.type === "add_module" && step.module_id !== undefined ? [`module/${step.module_id}`] : [];
    }),
  );
  const touched = steps.map(touchedItem).filter((item) => item !== undefined);
  return [...new Set(touched)].filter((item) => !added.has(item));
}

const concerning: ReadonlySet<string> = new Set(["remove_function", "rename_function", "move_function"]);

function concernedBy(steps: readonly MutationStep[], touched: readonly string[]) {
  const functions = steps.flatMap((step) =>
    concerning.has(step.type) && "function_id" in step ? [step.function_id] : [],
  );
  const modules = steps.flatMap((step) => (step.type === "rename_module" ? [step.module_id] : []));
  const known = new Set(touched);
  return { functions: functions.filter((id) => known.has(`function/${id}`)), modules: new Set(modules) };
}
