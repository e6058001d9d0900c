/** The text of a function or type to a graph. Ids of the result are provisional: `reconcile` gives the final ones. */
import type { NameTable } from "./names.ts";
import type { Condition, FunctionGraph, Input, Parameter } from "./node.ts";
import { parseHead } from "./parse-expressions.ts";
import { ParseState, type SyntaxError } from "./parse-state.ts";
import { parseBlock, parseNewName } from "./parse-block.ts";
import { parseType } from "./parse-types.ts";
import { languageLimits } from "./language-limits.ts";
import { typeNamePattern } from "./name-pattern.ts";
import type { TypeMember } from "./type-definition.ts";
import { unitType } from "./types.ts";

interface ParsedFunction {
  readonly graph: FunctionGraph;
  readonly givenIds: ReadonlyMap<number, number>;
  readonly errors: readonly SyntaxError[];
}

interface ParsedTypeDefinition {
  readonly name: string;
  readonly public: boolean;
  readonly sort: "struct" | "enum";
  readonly members: readonly TypeMember[];
  readonly invariants: readonly Condition[];
  readonly errors: readonly SyntaxError[];
}

interface ParseScope {
  readonly names: NameTable;
  readonly module: string;
}

function parseConditions(state: ParseState, word: string): readonly Condition[] {
  const conditions: Condition[] = [];
  while (state.accept(word)) {
    const value: Input = parseHead(state);
    const message = state.token.kind === "string" ? state.advance().text : null;
    conditions.push({ value, message });
  }
  return conditions;
}

function parseParameters(state: ParseState): readonly Parameter[] {
  const parameters: Parameter[] = [];
  state.expect("(");
  while (!state.is(")")) {
    const id = state.newId();
    const token = parseNewName(state, "the name of a parameter");
    state.acceptId(id);
    state.expect(":");
    parameters.push({ id, name: token.text, type: parseType(state) });
    state.declare(token, { id, isCell: false });
    if (!state.accept(",")) break;
  }
  state.expect(")");
  return parameters;
}

function parseFlags(state: ParseState): { public: boolean; io: boolean; total: boolean } {
  const flags = { public: false, io: false, total: false };
  for (;;) {
    if (state.accept("pub")) flags.public = true;
    else if (state.accept("io")) flags.io = true;
    else if (state.accept("total")) flags.total = true;
    else return flags;
  }
}

function parseDoc(state: ParseState): string | null {
  const lines: string[] = [];
  while (state.token.kind === "doc") lines.push(state.advance().text);
  return lines.length === 0 ? null : lines.join("\n");
}

function openState(text: string, scope: ParseScope): ParseState {
  const state = new ParseState(text, scope);
  state.block = parseBlock;
  if (text.length > languageLimits.textCharacters)
    state.report("graph.limit", state.token, `The text is longer than ${languageLimits.textCharacters} characters`);
  return state;
}

export function parseFunction(text: string, scope: ParseScope): ParsedFunction {
  const state = openState(text, scope);
  let graph: FunctionGraph = {
    ...{ name: "", module: scope.module, public: false, io: false, total: false, doc: null },
    ...{ parameters: [], result: unitType, requires: [], ensures: [], body: [], next: 1 },
  };
  if (state.errors.length === 0)
    state.recover(() => {
      const doc = parseDoc(state);
      const flags = parseFlags(state);
      state.expect("fn");
      const name = parseNewName(state, "the name of the function").text;
      const parameters = parseParameters(state);
      state.expect("->");
      const result = parseType(state);
      const requires = parseConditions(state, "requires");
      const ensures = parseConditions(state, "ensures");
      graph = { ...graph, ...flags, doc, name, parameters, result, requires, ensures };
      const body = parseBlock(state);
      if (state.token.kind !== "end") state.fail("the end of the function");
      graph = { ...graph, body, next: state.newId() };
    });
  return { graph, givenIds: state.givenIds, errors: state.errors };
}

function parseField(state: ParseState): TypeMember {
  const token = state.expectKind("name", "the name of a field");
  if (token.text === "__proto__") state.report("syntax.unexpected", token, `${token.text} cannot be a name`);
  const id = state.newId();
  state.expect(":");
  const type = parseType(state);
  state.declare(token, { id, isCell: false });
  return { name: token.text, type };
}

function parseVariant(state: ParseState, known: readonly TypeMember[]): TypeMember {
  const token = state.expectKind("type", "the name of a variant");
  if (known.some(({ name }) => name === token.text))
    state.report("name.duplicate", token, `${token.text} is listed twice`);
  if (!state.accept("(")) return { name: token.text, type: null };
  const type = parseType(state);
  state.expect(")");
  return { name: token.text, type };
}

export function parseTypeDefinition(text: string, scope: ParseScope): ParsedTypeDefinition {
  const state = openState(text, scope);
  let parsed: Omit<ParsedTypeDefinition, "errors"> = {
    name: "",
    public: false,
    sort: "struct",
    members: [],
    invariants: [],
  };
  if (state.errors.length === 0)
    state.recover(() => {
      const isPublic = state.accept("pub");
      const sort = state.accept("enum") ? "enum" : "struct";
      if (sort === "struct") state.expect("struct");
      const token = state.expectKind("type", "the name of the type");
      if (!typeNamePattern.test(token.text)) state.report("syntax.unexpected", token, `${token.text} cannot be a name`);
      state.expect("{");
      const members: TypeMember[] = [];
      while (!state.is("}") && !state.is("invariant")) {
        members.push(sort === "enum" ? parseVariant(state, members) : parseField(state));
        if (!state.accept(",")) break;
      }
      const invariants = sort === "struct" ? parseConditions(state, "invariant") : [];
      state.expect("}");
      if (state.token.kind !== "end") state.fail("the end of the type");
      parsed = { name: token.text, public: isPublic, sort, members, invariants };
    });
  return { ...parsed, errors: state.errors };
}
