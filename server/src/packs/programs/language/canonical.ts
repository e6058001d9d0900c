import { allNodes, type FunctionGraph } from "./node.ts";
import type { NumberOfNode } from "./pack.ts";

/** Numbers by print order: parameters, requires, ensures, body. Equal texts have equal numbers. */
export function canonicalNumbers(graph: FunctionGraph): NumberOfNode {
  const numbers = new Map<number, number>();
  for (const { id } of graph.parameters) numbers.set(id, numbers.size + 1);
  for (const { id } of allNodes(graph)) numbers.set(id, numbers.size + 1);
  // A dangling reference keeps its id, made negative, so that it equals no number.
  return (id) => numbers.get(id) ?? -id;
}
