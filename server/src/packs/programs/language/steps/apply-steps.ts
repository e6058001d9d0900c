/** Applies the steps of a mutation in order to a draft, all or nothing. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Diagnostic } from "../diagnostic.ts";
import { ProgramDraft } from "../draft.ts";
import type { HashContent } from "../hash.ts";
import { languageLimits } from "../language-limits.ts";
import type { ProgramScope } from "../program-scope.ts";
import { type FunctionValue, mainModule, type TypeValue } from "../function-value.ts";
import { itemIdPattern, reservedTypeIds } from "../name-pattern.ts";
import { nameInText } from "../write-function.ts";
import { addEdge } from "./add-edge.ts";
import { addFunction } from "./add-function.ts";
import { changeSignature } from "./change-signature.ts";
import { insertNode } from "./insert-node.ts";
import { modifyNode } from "./modify-node.ts";
import { addModule, removeModule, renameModule } from "./add-module.ts";
import { moveFunction } from "./move-function.ts";
import { moveNode } from "./move-node.ts";
import { removeEdge } from "./remove-edge.ts";
import { removeFunction } from "./remove-function.ts";
import { removeNode } from "./remove-node.ts";
import { renameFunction } from "./rename-function.ts";
import { setConditions } from "./set-conditions.ts";
import { setFunction } from "./set-function.ts";
import {
  type CreatedItem,
  failProgramStep,
  type NextIds,
  type ProgramStep,
  type StepContext,
  StepFailed,
  type StepOf,
} from "./step-context.ts";
import { addType, removeType, renameType, setType } from "./add-type.ts";

type StepTable = { readonly [Type in ProgramStep["type"]]: (context: StepContext, step: StepOf<Type>) => void };

const stepTable: StepTable = {
  set_function: setFunction,
  insert_node: insertNode,
  modify_node: modifyNode,
  remove_node: removeNode,
  move_node: moveNode,
  add_edge: addEdge,
  remove_edge: removeEdge,
  set_conditions: setConditions,
  change_signature: changeSignature,
  add_function: addFunction,
  remove_function: removeFunction,
  rename_function: renameFunction,
  move_function: moveFunction,
  add_module: addModule,
  rename_module: renameModule,
  remove_module: removeModule,
  add_type: addType,
  set_type: setType,
  rename_type: renameType,
  remove_type: removeType,
};

/** A finding about the whole mutation has no step. */
type StepDiagnostic = Diagnostic & { readonly step?: number };

type AppliedSteps =
  | {
      readonly draft: ProgramDraft;
      readonly created: readonly CreatedItem[];
      readonly next: NextIds;
      readonly diagnostics?: undefined;
    }
  | { readonly draft?: undefined; readonly diagnostics: readonly StepDiagnostic[] };

interface Added {
  readonly kind: "function" | "type" | "module";
  readonly letter: keyof NextIds;
  readonly id: string | undefined;
}

function addedBy(step: ProgramStep): Added | undefined {
  if (step.type === "add_function") return { kind: "function", letter: "f", id: step.function_id };
  if (step.type === "add_type") return { kind: "type", letter: "t", id: step.type_id };
  return step.type === "add_module" ? { kind: "module", letter: "m", id: step.module_id } : undefined;
}

/** A placeholder, so that items of one mutation can name each other in any order. */
function reserve(draft: ProgramDraft, id: string, step: ProgramStep): void {
  if (step.type !== "add_function" && step.type !== "add_type") return;
  const name = nameInText(step.text) ?? "";
  const module = step.module_id ?? mainModule;
  const empty = { name, module, public: true, calls: [], types: [], hash: "" };
  const type: TypeValue = { kind: "type", ...empty, struct: [], invariants: [] };
  const value: FunctionValue = {
    ...{ kind: "function", ...empty, io: false, total: false, params: [], result: "unit", requires: [], ensures: [] },
    ...{ body: [], next: 1, nodes: 0, signature_hash: "" },
  };
  if (step.type === "add_type") draft.set("type", id, type);
  else draft.set("function", id, value);
}

/** The id of the item that a step adds, or an empty text. Minted ids skip those that are in use. */
function reserveId(draft: ProgramDraft, step: ProgramStep, next: { f: number; t: number; m: number }): string {
  const added = addedBy(step);
  if (added === undefined) return "";
  const { kind, letter } = added;
  const isTaken = (id: string): boolean =>
    draft[kind](id) !== undefined || (kind === "type" && reservedTypeIds.has(id));
  let { id } = added;
  if (id === undefined) {
    while (isTaken(`${letter}${next[letter]}`)) next[letter] += 1;
    id = `${letter}${next[letter]}`;
    next[letter] += 1;
  }
  if (!itemIdPattern.test(id)) failProgramStep("name.duplicate", `The id ${id} does not match ${itemIdPattern.source}`);
  if (isTaken(id))
    failProgramStep("name.duplicate", `Another ${kind} has the id ${id}. Choose another id, or send none`);
  reserve(draft, id, step);
  return id;
}

function diagnosticsOf(error: unknown, index: number, step: ProgramStep | undefined): readonly StepDiagnostic[] {
  if (!(error instanceof StepFailed)) throw error;
  const id = step !== undefined && "function_id" in step ? (step.function_id ?? null) : null;
  return error.faults.map((fault) => ({
    ...{ severity: "error", function_id: id, node_id: null, line: 1, column: 1, ...fault },
    ...defined({ step: step === undefined ? undefined : index }),
  }));
}

function checkSize(draft: ProgramDraft): void {
  const functions = [...draft.changed("function").values()].flatMap((value) => (value === undefined ? [] : [value]));
  const types = [...draft.changed("type").values()].flatMap((value) => (value === undefined ? [] : [value]));
  const nodes = functions.reduce((sum, value) => sum + value.nodes, 0);
  const { changedFunctions, changedNodes, changedCharacters } = languageLimits;
  if (functions.length > changedFunctions)
    failProgramStep("graph.limit", `A mutation changes at most ${changedFunctions} functions`);
  if (nodes > changedNodes) failProgramStep("graph.limit", `A mutation has at most ${changedNodes} nodes`);
  const characters = JSON.stringify([functions, types]).length;
  if (characters > changedCharacters)
    failProgramStep("graph.limit", `A mutation writes at most ${changedCharacters} characters of values`);
}

export function applySteps(
  scope: ProgramScope,
  steps: readonly ProgramStep[],
  { next, hash, isImport = false }: { next: NextIds; hash: HashContent; isImport?: boolean },
): AppliedSteps {
  const draft = new ProgramDraft(scope);
  const created: CreatedItem[] = [];
  const counters = { ...next };
  let at = -1;
  try {
    if (!isImport && steps.length > languageLimits.steps)
      failProgramStep("graph.limit", `A mutation has at most ${languageLimits.steps} steps`);
    const reserved = steps.map((step, index) => {
      at = index;
      return reserveId(draft, step, counters);
    });
    for (const [index, step] of steps.entries()) {
      at = index;
      const context = { draft, hash, created, reserved: reserved[index] ?? "" };
      (stepTable[step.type] as (context: StepContext, step: ProgramStep) => void)(context, step);
    }
    at = -1;
    if (!isImport) checkSize(draft);
    return { draft, created, next: counters };
  } catch (error) {
    return { diagnostics: diagnosticsOf(error, at, steps[at]) };
  }
}
