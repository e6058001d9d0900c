import { type FunctionGraph, type GraphNode, mapNodes, mapRoots, type Region } from "../node.ts";
import { isOpName } from "../op-names.ts";
import { changeNode } from "./change-node.ts";
import { changeGraph, failProgramStep, type StepContext, type StepOf } from "./step-context.ts";

/** Sets the note above a statement. */
function withNote(graph: FunctionGraph, id: number, note: string | null): FunctionGraph {
  const change = (region: Region): Region =>
    region.map((item) => (typeof item.value === "object" && item.value.id === id ? { ...item, note } : item));
  const inNode = (node: GraphNode): GraphNode => ({ ...node, regions: node.regions.map(change) });
  return mapRoots({ ...graph, body: change(graph.body) }, (root) => mapNodes(root, inNode));
}

/** Changes op, attributes or note. Id and edges stay. */
export function modifyNode(context: StepContext, step: StepOf<"modify_node">): void {
  changeGraph(context, step.function_id, (graph) => {
    const changed = changeNode(graph, step.node_id, (node) => {
      const op = step.op ?? node.op;
      if (!isOpName(op)) return failProgramStep("graph.dangling", `There is no op ${op}`);
      return { ...node, op, attributes: step.attributes ?? node.attributes };
    });
    return step.note === undefined ? changed : withNote(changed, step.node_id, step.note);
  });
}
