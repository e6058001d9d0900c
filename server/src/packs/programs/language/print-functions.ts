/** The one canonical text of a function or type: 2 blanks, 100 columns, the fewest parentheses. */
import type { Condition, FunctionGraph, Input } from "./node.ts";
import { expressionPrinter, items, type PrintOptions } from "./expression-printer.ts";
import { enclosed, type LaidOut, type Layout, layOut, nest, newLine, separated } from "./layout.ts";
import { printType } from "./print-types.ts";
import type { PrintContext } from "./ops/op-row.ts";
import type { TypeDefinition } from "./type-definition.ts";

const docLines = (doc: string | null): readonly Layout[] =>
  doc === null ? [] : doc.split("\n").flatMap((line) => [line === "" ? "///" : `/// ${line}`, newLine]);

function conditionLines(print: PrintContext, word: string, conditions: readonly Condition[]): readonly Layout[] {
  return conditions.map(({ value, message }) => {
    const said = message === null ? "" : ` ${JSON.stringify(message)}`;
    return [newLine, `${word} `, print.head(value), said];
  });
}

function heading(graph: FunctionGraph, options: PrintOptions): Layout {
  const flags = [graph.public ? "pub " : "", graph.io ? "io " : "", graph.total ? "total " : ""].join("");
  const parameters = graph.parameters.map(
    ({ id, name, type }) => `${name}${options.withIds === true ? `#${id}` : ""}: ${printType(type, options)}`,
  );
  return [enclosed(`${flags}fn ${graph.name}(`, parameters, ")"), ` -> ${printType(graph.result, options)}`];
}

function functionLayout(graph: FunctionGraph, options: PrintOptions): Layout {
  const print = expressionPrinter(graph, options);
  const conditions = [
    ...conditionLines(print, "requires", graph.requires),
    ...conditionLines(print, "ensures", graph.ensures),
  ];
  const open = conditions.length === 0 ? " {" : [nest(...conditions), newLine, "{"];
  const lines = items(print, graph.body).map((item) => [newLine, item]);
  return [...docLines(graph.doc), heading(graph, options), open, nest(...lines), newLine, "}", newLine];
}

/** The text and the place of each node in it. */
export function printFunction(graph: FunctionGraph, options: PrintOptions): LaidOut {
  return layOut(functionLayout(graph, options));
}

/** One line: `pub fn clamp(x: i64, low: i64, high: i64) -> i64`. */
export function printSignature(graph: FunctionGraph, options: PrintOptions): string {
  return layOut(heading(graph, options)).text.replaceAll(/\s*\n\s*/gu, " ");
}

/** Prints nodes of a function, each on one line. */
export function printInputs(graph: FunctionGraph, options: PrintOptions): (input: Input) => string {
  const print = expressionPrinter(graph, options);
  return (input) =>
    layOut(print.value(input, 0))
      .text.replaceAll(/\s*\n\s*/gu, " ")
      .trim();
}

/** The text of one node, on one line. */
export function printInput(graph: FunctionGraph, input: Input, options: PrintOptions): string {
  return printInputs(graph, options)(input);
}

/** A type as a function whose parameters are its fields, for the printer and the checks of its invariants. */
export function fieldsAsFunction(definition: TypeDefinition): FunctionGraph {
  const parameters = definition.members.flatMap(({ name, type }, index) =>
    type === null || definition.sort === "enum" ? [] : [{ id: index + 1, name, type }],
  );
  return {
    name: definition.name,
    module: definition.module,
    public: definition.public,
    io: false,
    total: false,
    doc: null,
    parameters,
    result: { kind: "primitive", name: "unit", text: "unit" },
    requires: definition.invariants,
    ensures: [],
    body: [],
    next: 0,
  };
}

export function printTypeDefinition(definition: TypeDefinition, options: PrintOptions): LaidOut {
  const print = expressionPrinter(fieldsAsFunction(definition), options);
  const isStruct = definition.sort === "struct";
  const members = definition.members.map(({ name, type }): Layout => {
    const of = type === null ? "" : printType(type, options);
    return isStruct ? [newLine, `${name}: ${of},`] : [newLine, `${name}${of === "" ? "" : `(${of})`},`];
  });
  const invariants = conditionLines(print, "invariant", definition.invariants);
  const open = `${definition.public ? "pub " : ""}${definition.sort} ${definition.name} {`;
  return layOut([open, nest(separated(members, ""), ...invariants), newLine, "}", newLine]);
}
