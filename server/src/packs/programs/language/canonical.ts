import { allNodes, type FunctionGraph, mapRoots, renumber } from "./node.ts";

/** The same function with ids by print order: parameters, requires, ensures, body. Equal texts have equal numbers. */
export function canonicalGraph(graph: FunctionGraph): FunctionGraph {
  const numbers = new Map<number, number>();
  for (const { id } of graph.parameters) numbers.set(id, numbers.size + 1);
  for (const { id } of allNodes(graph)) numbers.set(id, numbers.size + 1);
  // A dangling reference keeps its id, made negative, so that it equals no number.
  const idOf = (id: number): number => numbers.get(id) ?? -id;
  const parameters = graph.parameters.map((parameter) => ({ ...parameter, id: idOf(parameter.id) }));
  return { ...mapRoots(graph, (root) => renumber(root, idOf)), parameters, next: numbers.size + 1 };
}
