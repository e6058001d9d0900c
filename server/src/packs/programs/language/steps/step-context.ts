/** The steps of a mutation and what they share. Steps change a draft; if one fails, the draft is thrown away. */
import type { DiagnosticCode } from "../diagnostic.ts";
import type { ProgramDraft } from "../draft.ts";
import type { HashContent } from "../hash.ts";
import type { Attribute, FunctionGraph } from "../node.ts";
import { graphOf } from "../pack.ts";
import type { FunctionValue } from "../function-value.ts";
import { storeFunction } from "../write-function.ts";

/** A node as a step describes it. Inputs are ids of values, or nodes. */
export interface NodeSpec {
  readonly op: string;
  readonly attributes?: readonly Attribute[];
  readonly inputs?: readonly (number | NodeSpec)[];
  readonly regions?: Readonly<Record<string, readonly (number | NodeSpec)[]>>;
  readonly note?: string;
}

/** A place in a region (`in` 0 is the function itself), or the port of a node. */
export type NodePlace =
  | { readonly in: number; readonly region: string; readonly index: number }
  | { readonly to: number; readonly port: number };

interface OfFunction {
  readonly function_id: string;
}

export type ConditionText = string | readonly [text: string, message: string];

export type ProgramStep =
  | ({ readonly type: "set_function"; readonly text: string } & OfFunction)
  | ({ readonly type: "insert_node"; readonly node: NodeSpec; readonly at: NodePlace } & OfFunction)
  | ({
      readonly type: "modify_node";
      readonly node_id: number;
      readonly op?: string;
      readonly attributes?: readonly Attribute[];
      readonly note?: string | null;
    } & OfFunction)
  | ({ readonly type: "remove_node"; readonly node_id: number } & OfFunction)
  | ({ readonly type: "move_node"; readonly node_id: number; readonly at: NodePlace } & OfFunction)
  | ({ readonly type: "add_edge"; readonly from: number; readonly to: number; readonly port: number } & OfFunction)
  | ({ readonly type: "remove_edge"; readonly to: number; readonly port: number } & OfFunction)
  | ({
      readonly type: "set_conditions";
      readonly requires?: readonly ConditionText[];
      readonly ensures?: readonly ConditionText[];
    } & OfFunction)
  | ({
      readonly type: "change_signature";
      readonly params?: readonly { readonly node_id?: number; readonly name: string; readonly type: string }[];
      readonly result?: string;
      readonly public?: boolean;
      readonly io?: boolean;
      readonly total?: boolean;
    } & OfFunction)
  | { readonly type: "add_function"; readonly text: string; readonly function_id?: string; readonly module_id?: string }
  | ({ readonly type: "remove_function" } & OfFunction)
  | ({ readonly type: "rename_function"; readonly name: string } & OfFunction)
  | ({ readonly type: "move_function"; readonly module_id: string } & OfFunction)
  | { readonly type: "add_module"; readonly module_id?: string; readonly name: string; readonly parent?: string }
  | { readonly type: "rename_module"; readonly module_id: string; readonly name: string }
  | { readonly type: "remove_module"; readonly module_id: string }
  | { readonly type: "add_type"; readonly type_id?: string; readonly text: string; readonly module_id?: string }
  | { readonly type: "set_type"; readonly type_id: string; readonly text: string }
  | { readonly type: "rename_type"; readonly type_id: string; readonly name: string }
  | { readonly type: "remove_type"; readonly type_id: string };

export type StepOf<Type extends ProgramStep["type"]> = Extract<ProgramStep, { readonly type: Type }>;

export interface CreatedItem {
  readonly kind: "function" | "type" | "module" | "node";
  readonly id: string;
  readonly function_id?: string;
}

/** Numbers of the next minted ids. */
export interface NextIds {
  readonly f: number;
  readonly t: number;
  readonly m: number;
}

export interface StepContext {
  readonly draft: ProgramDraft;
  readonly hash: HashContent;
  readonly created: CreatedItem[];
  /** The id of the item that this step adds: it was reserved before the first step. */
  readonly reserved: string;
}

interface StepFault {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly suggestion?: string;
}

/** The step cannot be applied. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
  readonly faults: readonly StepFault[];
  constructor(faults: readonly StepFault[]) {
    super(faults[0]?.message ?? "");
    this.faults = faults;
  }
}

export function failProgramStep(code: DiagnosticCode, message: string): never {
  throw new StepFailed([{ code, message }]);
}

export function functionIn({ draft }: StepContext, id: string): FunctionValue {
  return draft.function(id) ?? failProgramStep("name.unknown", `There is no function ${id}`);
}

/** Replaces the graph of a function. */
export function changeGraph(context: StepContext, id: string, change: (graph: FunctionGraph) => FunctionGraph): void {
  const before = functionIn(context, id);
  context.draft.set("function", id, storeFunction(change(graphOf(before)), context.hash));
}
