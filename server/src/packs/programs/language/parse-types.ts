import { languageLimits } from "./language-limits.ts";
import { type NameTable, noNames, resolveName } from "./names.ts";
import { ParseState, type SyntaxError } from "./parse-state.ts";
import {
  arrayOf,
  isPrimitiveName,
  listOf,
  namedType,
  neverType,
  optionalOf,
  primitive,
  resultOf,
  type Type,
} from "./types.ts";

/** The id of a type: `Name`, `module.Name` or `@t1`. Undefined, with an error, if it is unknown. */
export function parseTypeName(state: ParseState): string | undefined {
  if (state.accept("@")) return state.expectKind("name", "the id of a type").text;
  const prefix = state.token.kind === "name" ? state.advance().text : undefined;
  if (prefix !== undefined) state.expect(".");
  const token = state.expectKind("type", "the name of a type");
  const id = resolveName(state.names, { kind: "type", from: state.module, prefix, name: token.text });
  if (id === undefined) state.unknownName(token, "type");
  return id;
}

function parseLength(state: ParseState): number {
  const token = state.expectKind("int", "a length");
  const length = Number(token.text);
  if (length > languageLimits.arrayLength)
    state.report("graph.limit", token, `An array has at most ${languageLimits.arrayLength} items`);
  return Math.min(length, languageLimits.arrayLength);
}

function parseGeneric(state: ParseState, word: string): Type {
  state.expect("<");
  const first = parseType(state);
  if (word === "result") {
    state.expect(",");
    const err = parseType(state);
    state.expectAngle();
    return resultOf(first, err);
  }
  state.expectAngle();
  return word === "list" ? listOf(first) : optionalOf(first);
}

export function parseType(state: ParseState): Type {
  return state.deeper(() => {
    const { token } = state;
    if (state.accept("[")) {
      const item = parseType(state);
      state.expect(";");
      const length = parseLength(state);
      state.expect("]");
      return arrayOf(item, length);
    }
    if (token.kind === "name" && ["list", "option", "result"].includes(token.text)) {
      state.advance();
      return parseGeneric(state, token.text);
    }
    if (token.kind === "name" && isPrimitiveName(token.text)) {
      state.advance();
      return primitive(token.text);
    }
    const isName = token.kind === "type" || token.kind === "name" || state.is("@");
    if (!isName) state.fail("a type");
    const id = parseTypeName(state);
    return id === undefined ? neverType : namedType(id);
  });
}

/** A type as a module writes it, alone in a text. */
export function parseTypeText(
  text: string,
  scope: { readonly names: NameTable; readonly module: string },
): { readonly type: Type; readonly errors: readonly SyntaxError[] } {
  const state = new ParseState(text, scope);
  let type = neverType;
  state.recover(() => {
    type = parseType(state);
    if (state.token.kind !== "end") state.fail("the end of the type");
  });
  return { type: state.errors.length > 0 ? neverType : type, errors: state.errors };
}

/** Maximum stored types that are kept parsed. They are few, because programs repeat them. */
const parsedMax = 10_000;
const parsed = new Map<string, Type>();

/** A stored type, whose named types are ids. A text that no pack wrote is `never`. */
export function typeFromText(text: string): Type {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const { type } = parseTypeText(text, { names: noNames, module: "" });
  if (parsed.size >= parsedMax) parsed.clear();
  parsed.set(text, type);
  return type;
}
