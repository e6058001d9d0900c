/** Changes of single nodes in a graph, which several steps share. */
import {
  allNodes,
  type FunctionGraph,
  type GraphNode,
  type Input,
  mapNodes,
  mapRoots,
  type Region,
  type RegionItem,
} from "../node.ts";
import { isOpName } from "../op-names.ts";
import { opTable } from "../ops/op-table.ts";
import { failProgramStep, type NodePlace, type NodeSpec } from "./step-context.ts";

interface BuiltNode {
  readonly item: RegionItem;
  readonly ids: readonly number[];
  readonly next: number;
}

/** Makes a node and the nodes inside it. New ids are given in print order. */
export function buildNode(spec: number | NodeSpec, next: number): BuiltNode {
  if (typeof spec === "number") return { item: { note: null, value: spec }, ids: [], next };
  const { op } = spec;
  if (!isOpName(op)) return failProgramStep("graph.dangling", `There is no op ${op}`);
  const ids = [next];
  let free = next + 1;
  const build = (part: number | NodeSpec): RegionItem => {
    const built = buildNode(part, free);
    free = built.next;
    ids.push(...built.ids);
    return built.item;
  };
  const inputs = (spec.inputs ?? []).map((input) => build(input).value);
  const names = opTable[op].regions;
  const unknown = Object.keys(spec.regions ?? {}).find((name) => !names.includes(name));
  if (unknown !== undefined) failProgramStep("graph.dangling", `${op} has no region ${unknown}`);
  const regions = names.flatMap((name) => {
    const items = spec.regions?.[name];
    return items === undefined ? [] : [items.map(build)];
  });
  const value: GraphNode = { id: next, op, attributes: spec.attributes ?? [], inputs, regions };
  return { item: { note: spec.note ?? null, value }, ids, next: free };
}

/** The function with one node replaced. Fails the step if there is no such node. */
export function changeNode(graph: FunctionGraph, id: number, change: (node: GraphNode) => Input): FunctionGraph {
  const isKnown = [...allNodes(graph)].some((node) => node.id === id);
  if (!isKnown) return failProgramStep("graph.dangling", `There is no node ${id}`);
  return mapRoots(graph, (root) => mapNodes(root, (node) => (node.id === id ? change(node) : node)));
}

/** A value in the middle of a region is dropped, as `;` does in the text. */
function insertItem(region: Region, item: RegionItem, index: number, dropId: number): Region {
  if (index < 0 || index > region.length) failProgramStep("graph.order", `The region has ${region.length} items`);
  const { value } = item;
  const isValue =
    typeof value === "number" || (opTable[value.op].place === "value" && value.op !== "if" && value.op !== "match");
  const dropped: GraphNode = { id: dropId, op: "drop", attributes: [], inputs: [value], regions: [] };
  return region.toSpliced(index, 0, isValue && index < region.length ? { ...item, value: dropped } : item);
}

/** Puts an item into a region or a port. A port must be empty: a hole or a reference. */
export function placeItem(graph: FunctionGraph, item: RegionItem, at: NodePlace): FunctionGraph {
  const spare = graph.next;
  const withSpare = { ...graph, next: graph.next + 1 };
  if ("to" in at) return setInput(graph, at, item.value);
  if (at.in === 0) {
    if (at.region !== "body") failProgramStep("graph.order", "The function has the region body");
    return { ...withSpare, body: insertItem(graph.body, item, at.index, spare) };
  }
  return changeNode(withSpare, at.in, (node) => {
    const index = opTable[node.op].regions.indexOf(at.region);
    if (index === -1 || index > node.regions.length)
      failProgramStep("graph.order", `${node.op} has no region ${at.region}`);
    const region = node.regions[index] ?? [];
    const regions = index === node.regions.length ? [...node.regions, region] : node.regions;
    return { ...node, regions: regions.with(index, insertItem(region, item, at.index, spare)) };
  });
}

/** Sets the input of a port. A node that the port holds would be lost, so it is refused. */
export function setInput(
  graph: FunctionGraph,
  { to, port }: { to: number; port: number },
  value: Input,
): FunctionGraph {
  return changeNode(graph, to, (node) => {
    const before = node.inputs[port];
    if (port < 0 || port > node.inputs.length)
      failProgramStep("graph.dangling", `The node ${to} has ${node.inputs.length} inputs`);
    if (typeof before === "object" && before.op !== "hole" && before.op !== "get" && before.op !== "const")
      failProgramStep(
        "graph.dangling",
        `The port ${port} of the node ${to} holds the node ${before.id}: remove it first`,
      );
    return { ...node, inputs: port === node.inputs.length ? [...node.inputs, value] : node.inputs.with(port, value) };
  });
}

export const hole = (id: number): GraphNode => ({ id, op: "hole", attributes: [], inputs: [], regions: [] });

/** Takes a node out. Its place in a region closes; its port becomes a hole. */
export function takeNode(
  graph: FunctionGraph,
  id: number,
): { readonly graph: FunctionGraph; readonly item: RegionItem } {
  const taken: RegionItem[] = [];
  const without = (region: Region): Region =>
    region.filter((item) => {
      if (typeof item.value !== "object" || item.value.id !== id) return true;
      taken.push(item);
      return false;
    });
  const emptied = (node: GraphNode): GraphNode => {
    const regions = node.regions.map(without);
    // An empty `else` is not a region.
    return { ...node, regions: node.op === "if" && regions[1]?.length === 0 ? regions.slice(0, 1) : regions };
  };
  const inRegions = mapRoots({ ...graph, body: without(graph.body) }, (root) => mapNodes(root, emptied));
  const [item] = taken;
  if (item !== undefined) return { graph: inRegions, item };
  let found: GraphNode | undefined;
  const spare = graph.next;
  const changed = changeNode({ ...graph, next: spare + 1 }, id, (node) => {
    found = node;
    return hole(spare);
  });
  return { graph: changed, item: { note: null, value: found ?? hole(spare) } };
}
