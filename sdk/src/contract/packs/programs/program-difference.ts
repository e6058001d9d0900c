/** The nodes and edges of a function, and the difference of two of its versions. */
import Type from "typebox";
import type { TSchema } from "typebox";

const text = Type.String();
const integer = Type.Integer();
const flag = Type.Boolean();
const optionalInteger = Type.Optional(integer);
const optionalText = Type.Optional(text);

const node = { node_id: integer, op: text, attributes: Type.Array(Type.Unknown()) };
export const programNode = Type.Object({ ...node, text });

export const programEdge = Type.Object(
  {
    edge_id: Type.String({ description: "The target and the port, or the owner, the region and the order." }),
    from: integer,
    to: integer,
    kind: Type.Enum(["data", "control"]),
    port: optionalInteger,
    region: optionalText,
    order: optionalInteger,
    nested: Type.Optional(flag),
    note: optionalText,
  },
  { description: "Edges are derived from the nesting of nodes." },
);

const pairOf = <Side extends TSchema>(side: Side) => Type.Object({ before: side, after: side });

const signature = Type.Object({
  text,
  module: text,
  public: flag,
  io: flag,
  total: flag,
  doc: Type.Union([text, Type.Null()]),
  params: Type.Array(Type.Unknown()),
  result: text,
});

export const programDifference = Type.Object(
  {
    added_nodes: Type.Array(programNode),
    removed_nodes: Type.Array(programNode),
    modified_nodes: Type.Array(Type.Object({ ...node, before: text, after: text })),
    added_edges: Type.Array(programEdge),
    removed_edges: Type.Array(programEdge),
    signature: Type.Optional(pairOf(signature)),
    conditions: Type.Optional(Type.Object({ added: Type.Array(text), removed: Type.Array(text) })),
    renamed: Type.Optional(pairOf(text)),
  },
  { description: "The changed nodes and edges by id." },
);
