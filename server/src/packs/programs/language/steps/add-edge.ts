import { allNodes, type FunctionGraph, type Input } from "../node.ts";
import { setInput } from "./change-node.ts";
import { changeGraph, type StepContext, type StepOf } from "./step-context.ts";

/** A `var` is read by `get`, except by `get` and `set` themselves. */
function referenceTo(graph: FunctionGraph, step: StepOf<"add_edge">): { readonly value: Input; readonly next: number } {
  const nodes = [...allNodes(graph)];
  const isCell = nodes.some(({ id, op }) => id === step.from && op === "var");
  const target = nodes.find(({ id }) => id === step.to)?.op;
  const isDirect = (target === "get" || target === "set") && step.port === 0;
  if (!isCell || isDirect) return { value: step.from, next: graph.next };
  const get = { id: graph.next, op: "get", attributes: [], inputs: [step.from], regions: [] } as const;
  return { value: get, next: graph.next + 1 };
}

export function addEdge(context: StepContext, step: StepOf<"add_edge">): void {
  changeGraph(context, step.function_id, (graph) => {
    const { value, next } = referenceTo(graph, step);
    return setInput({ ...graph, next }, step, value);
  });
}
