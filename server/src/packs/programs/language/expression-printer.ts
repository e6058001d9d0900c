import {
  type Attribute,
  type FunctionGraph,
  type GraphNode,
  allNodes,
  binderName,
  type Input,
  type Region,
} from "./node.ts";
import { type NameTable, writeName } from "./names.ts";
import { levels, type OpRow, type PrintContext } from "./ops/op-row.ts";
import { levelOf, opTable } from "./ops/op-table.ts";
import { blank, enclosed, group, type Layout, mark, nest, newLine } from "./layout.ts";
import { typeFromText } from "./parse-types.ts";
import { printType } from "./print-types.ts";

export interface PrintOptions {
  readonly names: NameTable;
  readonly module: string;
  /** Prints `#id` behind every node. */
  readonly withIds?: boolean;
}

/** Keyword forms show their id behind the keyword, all others behind their text. */
const keywordOps: ReadonlySet<string> = new Set([
  ...["let", "var", "set", "drop", "if", "match", "arm", "while", "for", "return", "break", "continue", "assert"],
]);

/** The names of parameters and binders. */
export function binderNames(graph: FunctionGraph): ReadonlyMap<number, string> {
  const names = new Map(graph.parameters.map(({ id, name }) => [id, name]));
  for (const node of allNodes(graph)) {
    const name = binderName(node);
    if (name !== undefined) names.set(node.id, name);
  }
  return names;
}

const isStatement = (input: Input): boolean => typeof input === "object" && opTable[input.op].place !== "value";

function unary(print: PrintContext, node: GraphNode, text: Extract<OpRow["text"], { form: "prefix" }>): Layout {
  const [input] = node.inputs;
  const isNumber = typeof input === "object" && input.op === "const" && levelOf(input) === levels.atom;
  const gap = /\w$/u.test(text.sign) ? " " : "";
  // -5 is a literal, so the negation of the literal 5 is -(5).
  if (text.sign === "-" && isNumber) return ["-(", print.inner(input), ")"];
  return [text.sign, gap, print.value(input, text.level)];
}

function body(print: PrintContext, node: GraphNode): Layout {
  const { text } = opTable[node.op];
  if (text.form === "own") return text.print(print, node);
  if (text.form === "call") return enclosed(`${text.name}(`, node.inputs.map(print.inner), ")");
  if (text.form === "prefix") return unary(print, node, text);
  const left = text.level === levels.compare ? text.level + 1 : text.level;
  const [first, second] = node.inputs;
  return group(print.value(first, left), ` ${text.sign}`, nest(blank, print.value(second, text.level + 1)));
}

const hasBraces = (node: GraphNode): boolean => {
  const { text } = opTable[node.op];
  return text.form === "own" && text.hasBraces === true;
};

function printerFor(graph: FunctionGraph, options: PrintOptions, isHead: boolean): PrintContext {
  const names = binderNames(graph);
  const { module, withIds = false } = options;
  const shownId = (node: GraphNode): string => (withIds ? `#${node.id}` : "");
  const inParentheses = (node: GraphNode): Layout => ["(", mark(node.id, body(plain(), node)), ")", shownId(node)];
  let other: PrintContext | undefined;
  const plain = (): PrintContext => (isHead ? (other ??= printerFor(graph, options, false)) : context);
  const head = (): PrintContext => (isHead ? context : (other ??= printerFor(graph, options, true)));
  const value = (input: Input | undefined, level: number): Layout => {
    if (typeof input === "number") return names.get(input) ?? `hole`;
    if (input === undefined) return "hole";
    const own = levelOf(input);
    if (keywordOps.has(input.op))
      return own < level ? ["(", mark(input.id, body(plain(), input)), ")"] : mark(input.id, body(context, input));
    const isLoose = own < level || (withIds && own < levels.postfix);
    if (isHead && hasBraces(input)) return ["(", mark(input.id, body(plain(), input)), shownId(input), ")"];
    return isLoose ? inParentheses(input) : mark(input.id, [body(context, input), shownId(input)]);
  };
  const context: PrintContext = {
    value,
    head: (input) => head().value(input, levels.either),
    inner: (input) => plain().value(input, levels.flow),
    block: (region) => block(plain(), region),
    items: (region) => items(plain(), region),
    keyword: (word, node) => `${word}${shownId(node)}`,
    nameOf: (id) => names.get(id) ?? "hole",
    isValue: (input) => !isStatement(input),
    type: (stored: Attribute | undefined) => printType(typeFromText(String(stored)), options),
    functionName: (id) => writeName(options.names, { kind: "function", from: module, id }),
    typeName: (id) => writeName(options.names, { kind: "type", from: module, id }),
  };
  return context;
}

const noteLines = (note: string | null): readonly Layout[] =>
  note === null ? [] : note.split("\n").flatMap((line) => [line === "" ? "//" : `// ${line}`, newLine]);

export function items(print: PrintContext, region: Region): readonly Layout[] {
  return region.map(({ note, value }) => [...noteLines(note), print.value(value, levels.flow)]);
}

/** One line if the only item is a value without a note. */
function block(print: PrintContext, region: Region): Layout {
  const [only, more] = region;
  if (only === undefined) return "{}";
  if (more === undefined && only.note === null && print.isValue(only.value))
    return ["{", nest(blank, print.value(only.value, levels.flow)), blank, "}"];
  return ["{", nest(...items(print, region).map((item) => [newLine, item])), newLine, "}"];
}

export function expressionPrinter(graph: FunctionGraph, options: PrintOptions): PrintContext {
  return printerFor(graph, options, false);
}
