/** Applies a difference to its base, with nothing else known about the current version. */
import type { FunctionDifference } from "../../server/src/packs/programs/language/difference.ts";
import { edgesOf, type EdgeView, nodeViews } from "../../server/src/packs/programs/language/node-view.ts";
import type {
  Attribute,
  Condition,
  FunctionGraph,
  GraphNode,
  Input,
  RegionItem,
} from "../../server/src/packs/programs/language/node.ts";
import type { OpName } from "../../server/src/packs/programs/language/op-names.ts";
import { opTable } from "../../server/src/packs/programs/language/ops/op-table.ts";
import { typeFromText } from "../../server/src/packs/programs/language/parse-types.ts";
import type { PrintOptions } from "../../server/src/packs/programs/language/expression-printer.ts";

export function applyDifference(
  base: FunctionGraph,
  difference: FunctionDifference,
  options: PrintOptions,
): FunctionGraph {
  const nodes = new Map<number, { op: string; attributes: readonly Attribute[] }>(nodeViews(base, options));
  for (const { node_id: id } of difference.removed_nodes) nodes.delete(id);
  for (const node of [...difference.added_nodes, ...difference.modified_nodes]) nodes.set(node.node_id, node);
  const edges = new Map(edgesOf(base).map((edge) => [edge.edge_id, edge]));
  for (const { edge_id: id } of difference.removed_edges) edges.delete(id);
  for (const edge of difference.added_edges) edges.set(edge.edge_id, edge);
  const all = [...edges.values()];

  const inputOf = (edge: EdgeView): Input => {
    if (edge.kind === "control") return build(edge.to);
    return edge.nested === true ? build(edge.from) : edge.from;
  };
  const region = (owner: number, name: string): RegionItem[] => {
    const own = all.filter((edge) => edge.region === name && (edge.kind === "control" ? edge.from : edge.to) === owner);
    const ordered = own.sort((a, b) => a.order! - b.order!);
    return ordered.map((edge) => ({ note: edge.note ?? null, value: inputOf(edge) }));
  };
  const build = (id: number): GraphNode => {
    const { op, attributes } = nodes.get(id)!;
    const ports = all.filter((edge) => edge.to === id && edge.port !== undefined).sort((a, b) => a.port! - b.port!);
    const found = opTable[op as OpName].regions.map((name) => region(id, name));
    const regions = found.filter((items, index) => op !== "if" || index === 0 || items.length > 0);
    return { id, op: op as OpName, attributes, inputs: ports.map(inputOf), regions };
  };
  const conditions = (name: string): Condition[] =>
    region(0, name).map(({ note, value }) => ({ value, message: note }));
  const after = difference.signature?.after;
  return {
    ...base,
    ...(after !== undefined && {
      module: after.module,
      public: after.public,
      io: after.io,
      total: after.total,
      doc: after.doc,
    }),
    ...(after !== undefined && {
      parameters: after.params.map(([id, name, type]) => ({ id, name, type: typeFromText(type) })),
      result: typeFromText(after.result),
    }),
    name: difference.renamed?.after ?? base.name,
    requires: conditions("requires"),
    ensures: conditions("ensures"),
    body: region(0, "body"),
  };
}
