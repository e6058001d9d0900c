import { type FunctionGraph, mapRoots, renumber } from "../node.ts";
import { graphOf } from "../pack.ts";
import { parseFunction } from "../parse-functions.ts";
import { printFunction } from "../print-functions.ts";
import { reconcile } from "../reconcile.ts";
import {
  changeGraph,
  type ConditionText,
  functionIn,
  type StepContext,
  StepFailed,
  type StepOf,
} from "./step-context.ts";

const lines = (word: string, conditions: readonly ConditionText[]): string =>
  conditions
    .map((each) => (typeof each === "string" ? `${word} ${each}` : `${word} ${each[0]} ${JSON.stringify(each[1])}`))
    .join("\n");

/** Parses the conditions with the parameters of the function in scope. */
function parseConditions(context: StepContext, graph: FunctionGraph, step: StepOf<"set_conditions">): FunctionGraph {
  const options = { names: context.draft.names, module: graph.module };
  const empty = { ...graph, doc: null, requires: [], ensures: [], body: [] };
  const heading = printFunction(empty, options)
    .text.trimEnd()
    .replace(/\{\s*\}$/u, "");
  const conditions = `${lines("requires", step.requires ?? [])}\n${lines("ensures", step.ensures ?? [])}`;
  const parsed = parseFunction(`${heading}\n${conditions}\n{}`, options);
  if (parsed.errors.length > 0) throw new StepFailed(parsed.errors);
  return parsed.graph;
}

export function setConditions(context: StepContext, step: StepOf<"set_conditions">): void {
  const base = graphOf(functionIn(context, step.function_id));
  const parsed = parseConditions(context, base, step);
  // Nodes of the base get ids behind those of the parsed conditions, so that both fit into one graph.
  const places = new Map(base.parameters.map(({ id }, index) => [id, parsed.parameters[index]?.id ?? id]));
  const kept = mapRoots(base, (root) => renumber(root, (id) => places.get(id) ?? id + parsed.next));
  const fresh: FunctionGraph = {
    ...kept,
    parameters: base.parameters.map((each) => ({ ...each, id: places.get(each.id) ?? each.id })),
    requires: step.requires === undefined ? kept.requires : parsed.requires,
    ensures: step.ensures === undefined ? kept.ensures : parsed.ensures,
  };
  changeGraph(context, step.function_id, () => reconcile(fresh, base));
}
