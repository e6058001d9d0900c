import { resolveName } from "./names.ts";
import type { GraphNode, Input, Region } from "./node.ts";
import { infixOperator, prefixOperator, reservedCall } from "./ops/op-table.ts";
import { levels } from "./ops/op-row.ts";
import { parseNumber, parseWord } from "./parse-number.ts";
import { parseArm } from "./parse-arm.ts";
import type { ParseState } from "./parse-state.ts";
import { parseType, parseTypeName } from "./parse-types.ts";
import type { SourceToken } from "./tokens.ts";

/** An expression whose operators bind at least as strongly as the level. */
export function parseExpression(state: ParseState, level: number = levels.flow): Input {
  return state.deeper(() => {
    let left = parsePrefix(state);
    for (;;) {
      const { token } = state;
      if (state.is("as") && levels.as >= level) {
        state.advance();
        left = state.node("as", { attributes: [parseType(state).text], inputs: [left] });
        continue;
      }
      const operator = token.kind === "sign" || token.kind === "name" ? infixOperator(token.text) : undefined;
      if (operator === undefined || operator.level < level) return left;
      state.advance();
      const right = parseExpression(state, operator.level + 1);
      left = state.node(operator.op, { inputs: [left, right] });
      if (operator.level === levels.compare && infixOperator(state.token.text)?.level === levels.compare)
        state.fail("and, or, or the end of the expression: comparisons are not chained");
    }
  });
}

const postfixStarts: readonly string[] = ["[", ".", "(", "with"];

function parsePrefix(state: ParseState): Input {
  const { token } = state;
  if (
    state.is("-") &&
    ["int", "float"].includes(state.peek(1).kind) &&
    !postfixStarts.some((sign) => state.is(sign, 2))
  ) {
    state.advance();
    return withPostfix(state, parseNumber(state, "-"));
  }
  const operator = token.kind === "sign" || token.kind === "name" ? prefixOperator(token.text) : undefined;
  if (operator === undefined) return withPostfix(state, parsePrimary(state));
  state.advance();
  return state.node(operator.op, { inputs: [parseExpression(state, operator.level)] });
}

function withPostfix(state: ParseState, start: Input): Input {
  let value = start;
  for (;;) {
    if (state.is("#") && typeof value === "object") state.acceptId(value.id);
    if (state.accept("[")) {
      const at = inBrackets(state, () => parseExpression(state));
      state.expect("]");
      value = state.node("index", { inputs: [value, at] });
    } else if (state.is(".") && state.peek(1).kind === "name") {
      state.advance();
      value = state.node("struct_get", { attributes: [state.advance().text], inputs: [value] });
    } else if (state.is("with") && !state.isHead) {
      state.advance();
      value = parseWith(state, value);
    } else return value;
  }
}

/** Between brackets a brace begins a struct literal again. */
function inBrackets<Result>(state: ParseState, parse: () => Result): Result {
  const { isHead } = state;
  state.isHead = false;
  const result = parse();
  state.isHead = isHead;
  return result;
}

/** `a, b)`: parts until the closing sign, with an optional comma at the end. */
function listUntil<Part>(state: ParseState, close: string, parse: () => Part): readonly Part[] {
  return inBrackets(state, () => {
    const parts: Part[] = [];
    while (!state.is(close)) {
      parts.push(parse());
      if (!state.accept(",")) break;
    }
    state.expect(close);
    return parts;
  });
}

function parseWith(state: ParseState, base: Input): GraphNode {
  state.expect("{");
  if (state.accept("[")) {
    return inBrackets(state, () => {
      const at = parseExpression(state);
      state.expect("]");
      state.expect(":");
      const value = parseExpression(state);
      state.accept(",");
      state.expect("}");
      return state.node("with_index", { inputs: [base, at, value] });
    });
  }
  const fields = parseFields(state);
  return state.node("struct_with", {
    attributes: [fields.map(({ name }) => name)],
    inputs: [base, ...fields.map(({ value }) => value)],
  });
}

function parseFields(state: ParseState): readonly { name: string; value: Input }[] {
  return listUntil(state, "}", () => {
    const { text } = state.expectKind("name", "the name of a field");
    state.expect(":");
    return { name: text, value: parseExpression(state) };
  });
}

function parsePrimary(state: ParseState): Input {
  const { token } = state;
  if (token.kind === "int" || token.kind === "float") return parseNumber(state, "");
  if (token.kind === "string") return state.node("const", { attributes: ["text", state.advance().text] });
  if (token.kind === "type") return parseOfType(state);
  if (token.kind === "name") return parseOfName(state);
  if (state.accept("(")) {
    const value = inBrackets(state, () => parseExpression(state));
    state.expect(")");
    return value;
  }
  if (state.accept("["))
    return state.node("list_make", { inputs: listUntil(state, "]", () => parseExpression(state)) });
  if (state.is("@")) {
    const isCall = state.is("(", 2);
    if (!isCall) return parseOfType(state);
    state.advance();
    return parseCall(state, state.expectKind("name", "the id of a function").text);
  }
  return state.fail("an expression");
}

function parseCall(state: ParseState, id: string): GraphNode {
  state.expect("(");
  return state.node("call", { attributes: [id], inputs: listUntil(state, ")", () => parseExpression(state)) });
}

/** `Name { … }`, `Name.Variant` and `Name.Variant(…)`, also with a module or an id in front. */
function parseOfType(state: ParseState): Input {
  const id = parseTypeName(state) ?? "";
  if (state.accept(".")) {
    const variant = state.expectKind("type", "a variant").text;
    const inputs = state.accept("(") ? listUntil(state, ")", () => parseExpression(state)) : [];
    return state.node("enum_make", { attributes: [id, variant], inputs });
  }
  if (!state.is("{") || state.isHead) state.fail('"{" or ".Variant"');
  state.advance();
  const fields = parseFields(state);
  return state.node("struct_make", {
    attributes: [id, fields.map(({ name }) => name)],
    inputs: fields.map(({ value }) => value),
  });
}

const wrappers: Readonly<Record<string, string>> = { some: "option", ok: "result", err: "result" };

function parseOfName(state: ParseState): Input {
  const { token } = state;
  if (token.text === "if") return parseIf(state);
  if (token.text === "match") return parseMatch(state);
  const word = parseWord(state);
  if (word !== undefined) return word;
  if (state.is("(", 1)) return parseNamedCall(state, undefined);
  if (state.is(".", 1) && state.peek(2).kind === "type") return parseOfType(state);
  const isModule = state.is(".", 1) && state.peek(2).kind === "name" && state.is("(", 3);
  if (isModule) {
    const prefix = state.advance().text;
    state.advance();
    return parseNamedCall(state, prefix);
  }
  const local = state.lookUp(token.text);
  state.advance();
  if (local === undefined) return state.unknownName(token, "value");
  return local.isCell ? state.node("get", { inputs: [local.id] }) : local.id;
}

function parseNamedCall(state: ParseState, prefix: string | undefined): Input {
  const token = state.advance();
  const { text: name } = token;
  if (prefix === undefined && Object.hasOwn(wrappers, name)) {
    state.expect("(");
    const value = inBrackets(state, () => parseExpression(state));
    state.expect(")");
    return state.node("enum_make", { attributes: [wrappers[name] ?? "option", name], inputs: [value] });
  }
  const reserved = prefix === undefined ? reservedCall(name) : undefined;
  if (reserved !== undefined) {
    state.expect("(");
    return state.node(reserved.op, { ...reserved, inputs: listUntil(state, ")", () => parseExpression(state)) });
  }
  const id = resolveName(state.names, { kind: "function", from: state.module, prefix, name });
  if (id === undefined) unknownFunction(state, token);
  const call = parseCall(state, id ?? "");
  return id === undefined ? state.node("hole") : call;
}

function unknownFunction(state: ParseState, token: SourceToken): void {
  state.unknownName(token, "function", ["length", "push", "slice", "join", "abs", "print", "read_line", "to_text"]);
}

export function parseHead(state: ParseState): Input {
  const { isHead } = state;
  state.isHead = true;
  const value = parseExpression(state, levels.either);
  state.isHead = isHead;
  return value;
}

const plainBlock = (state: ParseState): Region => inBrackets(state, () => state.block(state));

export function parseIf(state: ParseState): GraphNode {
  return state.deeper(() => {
    const id = state.newId();
    state.expect("if");
    state.acceptId(id);
    const test = parseHead(state);
    const then = plainBlock(state);
    const regions: Region[] = [then];
    if (state.accept("else")) {
      const otherwise: Region = state.is("if") ? [{ note: null, value: parseIf(state) }] : plainBlock(state);
      // An empty `else` means the same as none, and has no edge that would show it.
      if (otherwise.length > 0) regions.push(otherwise);
    }
    return state.node("if", { id, inputs: [test], regions });
  });
}

export function parseMatch(state: ParseState): GraphNode {
  return state.deeper(() => {
    const id = state.newId();
    state.expect("match");
    state.acceptId(id);
    const subject = parseHead(state);
    state.expect("{");
    const arms = inBrackets(state, () => {
      const found: { note: string | null; value: GraphNode }[] = [];
      while (!state.is("}")) found.push(parseArm(state, parseExpression));
      return found;
    });
    state.expect("}");
    return state.node("match", { id, inputs: [subject], regions: [arms] });
  });
}
