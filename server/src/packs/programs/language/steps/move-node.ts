import { placeItem, takeNode } from "./change-node.ts";
import { changeGraph, type StepContext, type StepOf } from "./step-context.ts";

export function moveNode(context: StepContext, step: StepOf<"move_node">): void {
  changeGraph(context, step.function_id, (graph) => {
    const taken = takeNode(graph, step.node_id);
    return placeItem(taken.graph, taken.item, step.at);
  });
}
