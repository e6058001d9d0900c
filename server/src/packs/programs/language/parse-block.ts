import type { GraphNode, Input, Region, RegionItem } from "./node.ts";
import { isReserved } from "./ops/op-table.ts";
import { parseExpression, parseHead, parseIf, parseMatch } from "./parse-expressions.ts";
import { parseNotes } from "./parse-notes.ts";
import type { LocalBinder, ParseState } from "./parse-state.ts";
import { parseType } from "./parse-types.ts";
import { namePattern } from "./name-pattern.ts";
import type { SourceToken } from "./tokens.ts";

/** A name that may be given to a value or a function. */
export function parseNewName(state: ParseState, what: string): SourceToken {
  const token = state.expectKind("name", what);
  if (isReserved(token.text) || !namePattern.test(token.text))
    state.report(
      "syntax.unexpected",
      token,
      `${token.text} cannot be a name: ${isReserved(token.text) ? "the language uses it" : "use a to z, 0 to 9 and _"}`,
    );
  return token;
}

function parseBinding(state: ParseState, op: "let" | "var"): GraphNode {
  const id = state.newId();
  state.advance();
  state.acceptId(id);
  const token = parseNewName(state, "a name");
  const hasType = op === "var" || state.is(":");
  if (hasType) state.expect(":");
  const type = hasType ? parseType(state).text : null;
  state.expect("=");
  const value = parseExpression(state);
  state.expect(";");
  state.declare(token, { id, isCell: op === "var" });
  return state.node(op, { id, attributes: [token.text, type], inputs: [value] });
}

function parseFor(state: ParseState): GraphNode {
  const id = state.newId();
  state.advance();
  state.acceptId(id);
  const token = parseNewName(state, "a name");
  state.expect("in");
  const from = parseHead(state);
  const inputs = state.accept("..") ? [from, parseHead(state)] : [from];
  const region = parseBlock(state, [{ token, id }]);
  return state.node("for", { id, attributes: [token.text], inputs, regions: [region] });
}

function parseWhile(state: ParseState): GraphNode {
  const id = state.newId();
  state.advance();
  state.acceptId(id);
  const test = parseHead(state);
  return state.node("while", { id, inputs: [test], regions: [parseBlock(state)] });
}

/** `return`, `break`, `continue` and `assert`. */
function parseLeaving(state: ParseState, op: "return" | "break" | "continue" | "assert"): GraphNode {
  const id = state.newId();
  state.advance();
  state.acceptId(id);
  const hasValue = op === "assert" || (op === "return" && !state.is(";"));
  const inputs = hasValue ? [parseExpression(state)] : [];
  const message = op === "assert" && state.token.kind === "string" ? state.advance().text : null;
  state.expect(";");
  return state.node(op, { id, inputs, attributes: op === "assert" ? [message] : [] });
}

function parseSet(state: ParseState): GraphNode {
  const id = state.newId();
  const token = state.advance();
  state.acceptId(id);
  state.expect("=");
  const local = state.lookUp(token.text);
  if (local?.isCell === false)
    state.report("syntax.unexpected", token, `${token.text} is a let or a parameter: only a var can be set`);
  const cell = local === undefined ? state.unknownName(token, "var") : local.id;
  const value = parseExpression(state);
  state.expect(";");
  return state.node("set", { id, inputs: [cell, value] });
}

const statements: Readonly<Record<string, (state: ParseState) => GraphNode>> = {
  let: (state) => parseBinding(state, "let"),
  var: (state) => parseBinding(state, "var"),
  for: parseFor,
  while: parseWhile,
  return: (state) => parseLeaving(state, "return"),
  break: (state) => parseLeaving(state, "break"),
  continue: (state) => parseLeaving(state, "continue"),
  assert: (state) => parseLeaving(state, "assert"),
};

const isSet = (state: ParseState): boolean =>
  state.token.kind === "name" && (state.is("=", 1) || (state.is("#", 1) && state.is("=", 3)));

/** An expression with `;` is dropped. Without one it is the value of the block, or an `if` or `match` as a statement. */
function parseExpressionItem(state: ParseState): Input {
  const isFlow = state.is("if") || state.is("match");
  const value = isFlow ? (state.is("if") ? parseIf(state) : parseMatch(state)) : parseExpression(state);
  if (state.accept(";")) {
    const id = state.newId();
    state.acceptId(id);
    return state.node("drop", { id, inputs: [value] });
  }
  if (!state.is("}") && !isFlow) state.fail('";" or "}"');
  return value;
}

function parseItem(state: ParseState): RegionItem {
  const note = parseNotes(state);
  const { token } = state;
  if (note !== null && state.is("}")) state.fail("a statement behind the note");
  const statement = token.kind === "name" && Object.hasOwn(statements, token.text) ? statements[token.text] : undefined;
  if (statement !== undefined) return { note, value: state.deeper(() => statement(state)) };
  return { note, value: isSet(state) ? parseSet(state) : parseExpressionItem(state) };
}

export function parseBlock(state: ParseState, binders: readonly LocalBinder[] = []): Region {
  state.expect("{");
  return state.scoped(() => {
    for (const { token, id } of binders) {
      if (isReserved(token.text)) state.report("syntax.unexpected", token, `${token.text} cannot be a name`);
      state.declare(token, { id, isCell: false });
    }
    const items: RegionItem[] = [];
    while (!state.is("}") && state.token.kind !== "end" && !state.isFull)
      state.recover(() => {
        items.push(parseItem(state));
      });
    state.expect("}");
    return items;
  });
}
