/** The parts of an op. A row that lacks one is a type error. */
import type { Finding } from "../diagnostic.ts";
import type { Attribute, GraphNode, Input, Region } from "../node.ts";
import type { Layout } from "../layout.ts";
import type { Code, CallFrame } from "../run/frame.ts";
import type { Value } from "../run/values.ts";
import type { Type } from "../types.ts";
import type { TypeDefinition } from "../type-definition.ts";

/** The content of an attribute. Steps that make nodes are checked against it. */
export type AttributeKind =
  | "name"
  | "name?"
  | "type"
  | "type?"
  | "function"
  | "type_id"
  | "word"
  | "word?"
  | "words"
  | "text"
  | "text?";

/** Binding strengths of operators, from the weakest to the strongest. */
export const levels = {
  flow: 0,
  either: 1,
  both: 2,
  negate: 3,
  compare: 4,
  or: 5,
  xor: 6,
  and: 7,
  shift: 8,
  sum: 9,
  product: 10,
  as: 11,
  sign: 12,
  postfix: 13,
  atom: 14,
} as const;

export interface PrintContext {
  /** An input, in parentheses if it binds weaker than the level. */
  readonly value: (input: Input | undefined, level: number) => Layout;
  /** An input behind `if`, `while`, `for` or `match`, where a struct literal needs parentheses. */
  readonly head: (input: Input | undefined) => Layout;
  /** An input between brackets. */
  readonly inner: (input: Input | undefined) => Layout;
  readonly block: (region: Region) => Layout;
  readonly items: (region: Region) => readonly Layout[];
  /** A keyword, followed by the id of its node if ids are shown. */
  readonly keyword: (word: string, node: GraphNode) => string;
  readonly nameOf: (id: number) => string;
  readonly isValue: (input: Input) => boolean;
  readonly type: (stored: Attribute | undefined) => string;
  readonly functionName: (id: string) => string;
  readonly typeName: (id: string) => string;
}

/** How the text of an op looks. The parser reads the first three forms from the table; the others have their own rules. */
type TextForm =
  | { readonly form: "infix"; readonly sign: string; readonly level: number }
  | { readonly form: "prefix"; readonly sign: string; readonly level: number }
  | { readonly form: "call"; readonly name: string }
  | {
      readonly form: "own";
      readonly level: number;
      /** For an op whose level depends on its attributes. */
      readonly levelOf?: (node: GraphNode) => number;
      /** Whether its braces could be read as a block behind `if`, `while`, `for` and `match`. */
      readonly hasBraces?: true;
      readonly print: (print: PrintContext, node: GraphNode) => Layout;
    };

export interface Signature {
  readonly parameters: readonly { readonly name: string; readonly type: Type }[];
  readonly result: Type;
  readonly module: string;
  readonly public: boolean;
  readonly io: boolean;
  readonly name: string;
}

export interface TypeContext {
  /** The type of an input. `expected` decides the types of literals and empty lists. */
  readonly infer: (input: Input | undefined, expected?: Type) => Type;
  /** The same, and reports a mismatch. Returns the expected type. */
  readonly expect: (node: GraphNode, port: number, expected: Type) => Type;
  readonly region: (region: Region | undefined, expected?: Type) => Type;
  /** A region whose value is checked against a type. */
  readonly expectRegion: (node: GraphNode, region: number, expected: Type) => void;
  readonly loop: (region: Region | undefined) => void;
  readonly bind: (id: number, type: Type) => void;
  readonly typeAt: (id: number) => Type | undefined;
  readonly report: (node: GraphNode, finding: Omit<Finding, "node_id">) => Type;
  readonly signature: (id: string) => Signature | undefined;
  readonly definition: (id: string) => TypeDefinition | undefined;
  /** A stored type; reports unknown and private named types. */
  readonly read: (node: GraphNode, stored: Attribute | undefined) => Type;
  readonly show: (type: Type) => string;
  readonly module: string;
  readonly result: Type | undefined;
  /** The type of `result`, inside `ensures`. */
  readonly conditionResult: Type | undefined;
  readonly isIo: boolean;
  readonly isCondition: boolean;
  readonly loopDepth: () => number;
}

export interface CompileContext {
  readonly functionId: string;
  readonly code: (input: Input | undefined) => Code;
  readonly region: (region: Region | undefined) => Code;
  readonly typeOf: (input: Input | undefined) => Type;
  readonly slot: (id: number) => number;
  readonly type: (stored: Attribute | undefined) => Type;
  readonly definition: (id: string) => TypeDefinition | undefined;
  /** Calls a function with evaluated arguments. */
  readonly call: (id: string, node: GraphNode) => (frame: CallFrame, inputs: readonly Value[]) => Value;
  /** Evaluates the invariants of a new value of a struct. */
  readonly checked: (typeId: string, node: GraphNode) => (frame: CallFrame, value: Value) => void;
  /** The text of a condition or assertion, for its failure. */
  readonly text: (input: Input | undefined) => string;
}

export interface OpRow {
  readonly attributes: readonly AttributeKind[];
  readonly inputs: readonly [min: number, max: number];
  readonly regions: readonly string[];
  /** Values are inputs or the last items of regions. Statements are items. */
  readonly place: "value" | "statement" | "arm";
  /** Whether the op itself can trap. */
  readonly traps?: true;
  readonly text: TextForm;
  readonly type: (check: TypeContext, node: GraphNode, expected?: Type) => Type;
  readonly run: (compile: CompileContext, node: GraphNode) => Code;
}
