/** Graphs to stored values and back. A statement is one string, so a change is a patch of few strings. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Json } from "@holdfast/sdk/json/json";
import {
  allNodes,
  type Attribute,
  type Condition,
  type FunctionGraph,
  type GraphNode,
  type Input,
  nodesIn,
  type Region,
  type RegionItem,
  textAttribute,
} from "./node.ts";
import { isOpName } from "./op-names.ts";
import { opTable } from "./ops/op-table.ts";
import { typeFromText } from "./parse-types.ts";
import type { FunctionValue, PackedCondition, TypeValue } from "./function-value.ts";
import { reservedTypeIds } from "./name-pattern.ts";
import type { TypeDefinition } from "./type-definition.ts";
import { typeIdsIn } from "./types.ts";

/** A packed node: the compact JSON of `[id, op, attributes…, inputs…, regions…]`. */
export function packInput(input: Input): string {
  if (typeof input === "number") return String(input);
  const { id, op, attributes, inputs, regions } = input;
  let text = `[${id},"${op}"`;
  for (const attribute of attributes) text += `,${JSON.stringify(attribute)}`;
  for (const each of inputs) text += `,${packInput(each)}`;
  for (const region of regions) text += `,[${packRegion(region).join(",")}]`;
  return `${text}]`;
}

function packItem({ note, value }: RegionItem): string {
  const packed = packInput(value);
  return note === null ? packed : `["//",${JSON.stringify(note)},${packed}]`;
}

/** A stored value that this pack did not write. */
class WrongPack extends Error {
  override readonly name = "WrongPack";
}

function unpackInput(packed: Json): Input {
  if (typeof packed === "number") return packed;
  const parts = packed as readonly Json[];
  const [id, op] = parts;
  if (typeof id !== "number" || typeof op !== "string" || !isOpName(op)) throw new WrongPack(JSON.stringify(packed));
  const row = opTable[op];
  const attributesEnd = 2 + row.attributes.length;
  // A region is a list of items: its first member, if there is one, is never the id of a node followed by an op.
  const regionsStart = parts.findIndex((part, index) => index >= attributesEnd && isRegion(part));
  const inputsEnd = regionsStart === -1 ? parts.length : regionsStart;
  return {
    id,
    op,
    attributes: parts.slice(2, attributesEnd) as readonly Attribute[],
    inputs: parts.slice(attributesEnd, inputsEnd).map(unpackInput),
    regions: parts.slice(inputsEnd).map((region) => (region as readonly Json[]).map(unpackItem)),
  };
}

function isRegion(part: Json): boolean {
  return Array.isArray(part) && typeof part[1] !== "string";
}

function unpackItem(packed: Json): RegionItem {
  if (Array.isArray(packed) && packed[0] === "//")
    return { note: String(packed[1]), value: unpackInput(packed[2] as Json) };
  return { note: null, value: unpackInput(packed) };
}

const unpackText = (packed: string): Json => JSON.parse(packed) as Json;

function packCondition({ value, message }: Condition): PackedCondition {
  const packed = packInput(value);
  return message === null ? [packed] : [packed, message];
}

const unpackCondition = ([packed, message]: PackedCondition): Condition => ({
  value: unpackInput(unpackText(packed)),
  message: message ?? null,
});

const packConditions = (conditions: readonly Condition[]): readonly PackedCondition[] => conditions.map(packCondition);
const packRegion = (region: Region): readonly string[] => region.map(packItem);

const sorted = (ids: Iterable<string>): readonly string[] => [...new Set(ids)].sort();

/** The functions that nodes call. */
function callsIn(nodes: Iterable<GraphNode>): readonly string[] {
  const ids = [];
  for (const node of nodes) if (node.op === "call") ids.push(textAttribute(node, 0));
  return sorted(ids);
}

/** The named types that nodes mention. */
function typesIn(nodes: Iterable<GraphNode>): readonly string[] {
  const ids: string[] = [];
  for (const node of nodes)
    for (const [index, kind] of opTable[node.op].attributes.entries()) {
      const text = textAttribute(node, index);
      if (kind === "type_id" && !reservedTypeIds.has(text)) ids.push(text);
      if ((kind === "type" || kind === "type?") && text !== "") ids.push(...typeIdsIn(typeFromText(text)));
    }
  return sorted(ids);
}

export function packFunction(
  graph: FunctionGraph,
  hashes: { readonly hash: string; readonly signature_hash: string },
): FunctionValue {
  const nodes = allNodes(graph);
  const own = [...graph.parameters.map(({ type }) => type), graph.result].flatMap((type) => [...typeIdsIn(type)]);
  return {
    kind: "function",
    ...{ name: graph.name, module: graph.module, public: graph.public, io: graph.io, total: graph.total },
    ...defined({ doc: graph.doc ?? undefined }),
    params: graph.parameters.map(({ id, name, type }) => [id, name, type.text]),
    result: graph.result.text,
    requires: packConditions(graph.requires),
    ensures: packConditions(graph.ensures),
    body: packRegion(graph.body),
    next: graph.next,
    calls: callsIn(nodes),
    types: sorted([...own, ...typesIn(nodes)]),
    nodes: nodes.length + graph.parameters.length,
    ...hashes,
  };
}

const unpacked = new WeakMap<FunctionValue, FunctionGraph>();

/** The graph of a stored function. It is parsed once for each value. */
export function graphOf(value: FunctionValue): FunctionGraph {
  const known = unpacked.get(value);
  if (known !== undefined) return known;
  const graph: FunctionGraph = {
    ...{ name: value.name, module: value.module, public: value.public, io: value.io, total: value.total },
    doc: value.doc ?? null,
    parameters: value.params.map(([id, name, type]) => ({ id, name, type: typeFromText(type) })),
    result: typeFromText(value.result),
    requires: value.requires.map(unpackCondition),
    ensures: value.ensures.map(unpackCondition),
    body: value.body.map((packed) => unpackItem(unpackText(packed))),
    next: value.next,
  };
  unpacked.set(value, graph);
  return graph;
}

export function packType(definition: TypeDefinition, hash: string): TypeValue {
  const nodes = definition.invariants.flatMap(({ value }) => [...nodesIn(value)]);
  const members = definition.members.map(({ name, type }) => [name, type?.text ?? null] as const);
  const own = definition.members.flatMap(({ type }) => (type === null ? [] : [...typeIdsIn(type)]));
  return {
    kind: "type",
    ...{ name: definition.name, module: definition.module, public: definition.public },
    ...(definition.sort === "struct"
      ? { struct: members as readonly (readonly [string, string])[] }
      : { enum: members }),
    invariants: packConditions(definition.invariants),
    types: sorted([...own, ...typesIn(nodes)]),
    calls: callsIn(nodes),
    hash,
  };
}

const definitions = new WeakMap<TypeValue, TypeDefinition>();

export function definitionOf(id: string, value: TypeValue): TypeDefinition {
  const known = definitions.get(value);
  if (known?.id === id) return known;
  const members = (value.struct ?? value.enum ?? []).map(([name, type]) => ({
    name,
    type: type === null ? null : typeFromText(type),
  }));
  const definition: TypeDefinition = {
    ...{ id, name: value.name, module: value.module, public: value.public, members },
    sort: value.struct === undefined ? "enum" : "struct",
    invariants: value.invariants.map(unpackCondition),
  };
  definitions.set(value, definition);
  return definition;
}
