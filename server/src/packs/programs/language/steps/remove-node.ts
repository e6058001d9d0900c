import { takeNode } from "./change-node.ts";
import { changeGraph, type StepContext, type StepOf } from "./step-context.ts";

export function removeNode(context: StepContext, step: StepOf<"remove_node">): void {
  changeGraph(context, step.function_id, (graph) => takeNode(graph, step.node_id).graph);
}
