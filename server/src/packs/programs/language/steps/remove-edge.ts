import { changeNode, hole } from "./change-node.ts";
import { changeGraph, failProgramStep, type StepContext, type StepOf } from "./step-context.ts";

/** Leaves a hole, which must be filled in the same mutation. */
export function removeEdge(context: StepContext, step: StepOf<"remove_edge">): void {
  changeGraph(context, step.function_id, (graph) =>
    changeNode({ ...graph, next: graph.next + 1 }, step.to, (node) =>
      step.port >= 0 && step.port < node.inputs.length
        ? { ...node, inputs: node.inputs.with(step.port, hole(graph.next)) }
        : failProgramStep("graph.dangling", `The node ${step.to} has no port ${step.port}`),
    ),
  );
}
