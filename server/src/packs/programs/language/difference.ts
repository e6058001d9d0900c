/** How two versions of a function differ: nodes and edges by id, signature, conditions and name. */
import { defined } from "@holdfast/sdk/base/defined";
import { edgesOf, type EdgeView, nodeViews, type NodeView } from "./node-view.ts";
import type { Condition, FunctionGraph } from "./node.ts";
import { graphOf } from "./pack.ts";
import type { PrintOptions } from "./expression-printer.ts";
import { printFunction, printInput, printSignature } from "./print-functions.ts";
import type { FunctionValue } from "./function-value.ts";
import { textDifference } from "./text-difference.ts";

interface SignatureView {
  readonly text: string;
  readonly module: string;
  readonly public: boolean;
  readonly io: boolean;
  readonly total: boolean;
  readonly doc: string | null;
  readonly params: FunctionValue["params"];
  readonly result: string;
}

interface ModifiedNode extends Omit<NodeView, "text"> {
  readonly before: string;
  readonly after: string;
}

export interface FunctionDifference {
  readonly added_nodes: readonly NodeView[];
  readonly removed_nodes: readonly NodeView[];
  readonly modified_nodes: readonly ModifiedNode[];
  readonly added_edges: readonly EdgeView[];
  readonly removed_edges: readonly EdgeView[];
  readonly signature?: { readonly before: SignatureView; readonly after: SignatureView };
  readonly conditions?: { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly renamed?: { readonly before: string; readonly after: string };
}

const signatureView = (value: FunctionValue, options: PrintOptions): SignatureView => ({
  text: printSignature(graphOf(value), options),
  ...{ module: value.module, public: value.public, io: value.io, total: value.total, doc: value.doc ?? null },
  ...{ params: value.params, result: value.result },
});

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The texts of conditions, with their words and messages. */
function conditionTexts(graph: FunctionGraph, options: PrintOptions): readonly string[] {
  const text = (word: string, { value, message }: Condition): string =>
    `${word} ${printInput(graph, value, options)}${message === null ? "" : ` ${JSON.stringify(message)}`}`;
  return [
    ...graph.requires.map((condition) => text("requires", condition)),
    ...graph.ensures.map((condition) => text("ensures", condition)),
  ];
}

/** A node is modified if its op or attributes differ, or if it is in another place. */
function modifiedNodes(
  [base, before]: readonly [FunctionGraph, ReadonlyMap<number, NodeView>],
  [current, after]: readonly [FunctionGraph, ReadonlyMap<number, NodeView>],
): readonly ModifiedNode[] {
  const [placesBefore, placesAfter] = [placesOf(base), placesOf(current)];
  return [...after.values()].flatMap((node) => {
    const old = before.get(node.node_id);
    if (old === undefined) return [];
    const isSame =
      same([old.op, old.attributes], [node.op, node.attributes]) &&
      placesBefore.get(node.node_id) === placesAfter.get(node.node_id);
    const { node_id, op, attributes } = node;
    return isSame ? [] : [{ node_id, op, attributes, before: old.text, after: node.text }];
  });
}

/** The owner, and the port or region, of each node. The order in a region is not part of its place. */
function placesOf(graph: FunctionGraph): ReadonlyMap<number, string> {
  const places = new Map<number, string>();
  for (const edge of edgesOf(graph)) {
    if (edge.kind === "control") places.set(edge.to, `${edge.from}:${edge.region ?? ""}`);
    else if (edge.nested === true) places.set(edge.from, edge.edge_id);
  }
  return places;
}

export function functionDifference(
  base: FunctionValue,
  current: FunctionValue,
  options: PrintOptions,
): FunctionDifference {
  const [before, after] = [graphOf(base), graphOf(current)];
  const [nodesBefore, nodesAfter] = [nodeViews(before, options), nodeViews(after, options)];
  const edgesBefore = new Map(edgesOf(before).map((edge) => [edge.edge_id, edge]));
  const edgesAfter = new Map(edgesOf(after).map((edge) => [edge.edge_id, edge]));
  const [signatureBefore, signatureAfter] = [signatureView(base, options), signatureView(current, options)];
  const { text: _before, ...partsBefore } = signatureBefore;
  const { text: _after, ...partsAfter } = signatureAfter;
  const [conditionsBefore, conditionsAfter] = [conditionTexts(before, options), conditionTexts(after, options)];
  const conditions = {
    added: conditionsAfter.filter((text) => !conditionsBefore.includes(text)),
    removed: conditionsBefore.filter((text) => !conditionsAfter.includes(text)),
  };
  return defined({
    added_nodes: [...nodesAfter.values()].filter(({ node_id: id }) => !nodesBefore.has(id)),
    removed_nodes: [...nodesBefore.values()].filter(({ node_id: id }) => !nodesAfter.has(id)),
    modified_nodes: modifiedNodes([before, nodesBefore], [after, nodesAfter]),
    added_edges: [...edgesAfter.values()].filter((edge) => !same(edge, edgesBefore.get(edge.edge_id))),
    removed_edges: [...edgesBefore.values()].filter((edge) => !same(edge, edgesAfter.get(edge.edge_id))),
    signature: same(partsBefore, partsAfter) ? undefined : { before: signatureBefore, after: signatureAfter },
    conditions: conditions.added.length + conditions.removed.length > 0 ? conditions : undefined,
    renamed: base.name === current.name ? undefined : { before: base.name, after: current.name },
  });
}

/** The unified difference of the canonical texts. */
export function textDifferenceOf(base: FunctionValue, current: FunctionValue, options: PrintOptions): string {
  return textDifference(printFunction(graphOf(base), options).text, printFunction(graphOf(current), options).text);
}
