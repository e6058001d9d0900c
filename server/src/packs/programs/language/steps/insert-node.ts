import type { Json } from "@holdfast/sdk/json/json";
import { checkNode } from "./check-node.ts";
import { buildNode, placeItem } from "./change-node.ts";
import { changeGraph, type StepContext, type StepOf } from "./step-context.ts";

export function insertNode(context: StepContext, step: StepOf<"insert_node">): void {
  changeGraph(context, step.function_id, (graph) => {
    checkNode(step.node as unknown as Json);
    const built = buildNode(step.node, graph.next);
    for (const id of built.ids) context.created.push({ kind: "node", id: String(id), function_id: step.function_id });
    return placeItem({ ...graph, next: built.next }, built.item, step.at);
  });
}
