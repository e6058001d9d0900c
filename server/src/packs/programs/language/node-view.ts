/** A function as lists of nodes and edges. Edges are derived from the nesting, and named by their target. */
import { defined } from "@holdfast/sdk/base/defined";
import { type Attribute, type FunctionGraph, type GraphNode, type Input, nodesIn, type Region } from "./node.ts";
import { opTable } from "./ops/op-table.ts";
import type { PrintOptions } from "./expression-printer.ts";
import { printInputs } from "./print-functions.ts";

export interface NodeView {
  readonly node_id: number;
  readonly op: string;
  readonly attributes: readonly Attribute[];
  readonly text: string;
}

/**
 * A data edge leads from a value to a port or to a place in a region. A control edge leads from an owner to a statement or
 * value that is a node of its region. The owner of `requires`, `ensures` and `body` is 0.
 */
export interface EdgeView {
  readonly edge_id: string;
  readonly from: number;
  readonly to: number;
  readonly kind: "data" | "control";
  readonly port?: number;
  readonly region?: string;
  readonly order?: number;
  /** True if the value is nested in the port and belongs to it alone. */
  readonly nested?: true;
  /** The note above the item, or the message of the condition. */
  readonly note?: string;
}

interface OwnedRegion {
  readonly owner: number;
  readonly name: string;
  readonly items: readonly { readonly note: string | null; readonly value: Input }[];
}

function regionsOf(graph: FunctionGraph): readonly OwnedRegion[] {
  const conditions = (list: FunctionGraph["requires"]): Region =>
    list.map(({ value, message }) => ({ note: message, value }));
  return [
    { owner: 0, name: "requires", items: conditions(graph.requires) },
    { owner: 0, name: "ensures", items: conditions(graph.ensures) },
    { owner: 0, name: "body", items: graph.body },
  ];
}

function* edgesOfRegion({ owner, name, items }: OwnedRegion): Generator<EdgeView, void> {
  for (const [order, { note, value }] of items.entries()) {
    const common = {
      edge_id: `n${owner}:${name}:${order}`,
      region: name,
      order,
      ...defined({ note: note ?? undefined }),
    };
    if (typeof value === "number") yield { ...common, from: value, to: owner, kind: "data" };
    else yield { ...common, from: owner, to: value.id, kind: "control" };
  }
}

function* edgesOfNode(node: GraphNode): Generator<EdgeView, void> {
  for (const [port, input] of node.inputs.entries()) {
    const common = { edge_id: `n${node.id}:${port}`, to: node.id, port, kind: "data" } as const;
    yield typeof input === "number" ? { ...common, from: input } : { ...common, from: input.id, nested: true };
  }
  for (const [index, items] of node.regions.entries())
    yield* edgesOfRegion({ owner: node.id, name: opTable[node.op].regions[index] ?? "", items });
}

export function edgesOf(graph: FunctionGraph): readonly EdgeView[] {
  const roots = regionsOf(graph);
  const nodes = roots.flatMap(({ items }) => items.flatMap(({ value }) => [...nodesIn(value)]));
  return [...roots.flatMap((region) => [...edgesOfRegion(region)]), ...nodes.flatMap((node) => [...edgesOfNode(node)])];
}

/** Maximum characters of a node's text. */
const textMax = 200;

export function nodeViews(graph: FunctionGraph, options: PrintOptions): ReadonlyMap<number, NodeView> {
  const views = new Map<number, NodeView>();
  const print = printInputs(graph, options);
  for (const { items } of regionsOf(graph))
    for (const { value } of items)
      for (const node of nodesIn(value)) {
        const text = print(node);
        const shown = text.length > textMax ? `${text.slice(0, textMax)}…` : text;
        views.set(node.id, { node_id: node.id, op: node.op, attributes: node.attributes, text: shown });
      }
  return views;
}
