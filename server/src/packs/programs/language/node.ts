/**
 * A function as a graph. A node holds its inputs, so data edges are the nesting and the references by id. A region is an
 * ordered list of items inside a node, so control edges are owner, region and order.
 */
import { isBinder, type OpName } from "./op-names.ts";
import type { Type } from "./types.ts";

export type Attribute = string | null | readonly string[];

/** A nested node, or the id of a parameter, `let`, `var`, `for` or `arm` that is in scope. */
export type Input = number | GraphNode;

export interface GraphNode {
  readonly id: number;
  readonly op: OpName;
  readonly attributes: readonly Attribute[];
  readonly inputs: readonly Input[];
  readonly regions: readonly Region[];
}

export type Region = readonly RegionItem[];

/** A statement, or the value of its region if it is the last item. The note is printed above it. */
export interface RegionItem {
  readonly note: string | null;
  readonly value: Input;
}

export interface Parameter {
  readonly id: number;
  readonly name: string;
  readonly type: Type;
}

export interface Condition {
  readonly value: Input;
  readonly message: string | null;
}

export interface FunctionGraph {
  readonly name: string;
  readonly module: string;
  readonly public: boolean;
  readonly io: boolean;
  readonly total: boolean;
  readonly doc: string | null;
  readonly parameters: readonly Parameter[];
  readonly result: Type;
  readonly requires: readonly Condition[];
  readonly ensures: readonly Condition[];
  readonly body: Region;
  /** The id of the next new node. Ids are never reused in a function. */
  readonly next: number;
}

/** A node and all nodes inside it, owners first. Every check walks its graphs many times, so it is not a generator. */
export function nodesIn(input: Input): readonly GraphNode[] {
  const nodes: GraphNode[] = [];
  addNodes(input, nodes);
  return nodes;
}

function addNodes(input: Input, nodes: GraphNode[]): void {
  if (typeof input === "number") return;
  nodes.push(input);
  for (const each of input.inputs) addNodes(each, nodes);
  for (const region of input.regions) for (const item of region) addNodes(item.value, nodes);
}

/** The roots of a function in print order. */
function rootsOf(graph: FunctionGraph): readonly Input[] {
  return [...graph.requires, ...graph.ensures, ...graph.body].map(({ value }) => value);
}

/** All nodes of a function in print order, owners first. */
export function allNodes(graph: FunctionGraph): readonly GraphNode[] {
  const nodes: GraphNode[] = [];
  for (const root of rootsOf(graph)) addNodes(root, nodes);
  return nodes;
}

export function textAttribute(node: GraphNode, index: number): string {
  const value = node.attributes[index];
  return typeof value === "string" ? value : "";
}

export function listAttribute(node: GraphNode, index: number): readonly string[] {
  const value = node.attributes[index];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** The attribute that holds the name of a binder. */
function nameIndex(op: OpName): number | undefined {
  if (!isBinder(op)) return undefined;
  return op === "arm" ? 2 : 0;
}

export function binderName(node: GraphNode): string | undefined {
  const index = nameIndex(node.op);
  if (index === undefined) return undefined;
  const name = node.attributes[index];
  return typeof name === "string" ? name : undefined;
}

/** The same tree with each node replaced. Children are replaced before their owner. */
export function mapNodes(input: Input, change: (node: GraphNode) => Input): Input {
  if (typeof input === "number") return input;
  return change({
    ...input,
    inputs: input.inputs.map((each) => mapNodes(each, change)),
    regions: input.regions.map((region) => region.map(({ note, value }) => ({ note, value: mapNodes(value, change) }))),
  });
}

/** The same function with every root replaced. */
export function mapRoots(graph: FunctionGraph, change: (root: Input) => Input): FunctionGraph {
  return {
    ...graph,
    requires: graph.requires.map((each) => ({ ...each, value: change(each.value) })),
    ensures: graph.ensures.map((each) => ({ ...each, value: change(each.value) })),
    body: graph.body.map((each) => ({ ...each, value: change(each.value) })),
  };
}

/** The same tree with other ids. References follow. */
export function renumber(input: Input, idOf: (id: number) => number): Input {
  if (typeof input === "number") return idOf(input);
  return {
    ...input,
    id: idOf(input.id),
    inputs: input.inputs.map((each) => renumber(each, idOf)),
    regions: input.regions.map((region) => region.map(({ note, value }) => ({ note, value: renumber(value, idOf) }))),
  };
}
