import { defined } from "@holdfast/sdk/base/defined";
import type { Attribute, GraphNode, Input, Region } from "./node.ts";
import { parseNumber } from "./parse-number.ts";
import type { LocalBinder, ParseState } from "./parse-state.ts";
import { parseNotes } from "./parse-notes.ts";

interface Pattern {
  readonly attributes: readonly [kind: string, value: string | null];
  readonly binder?: LocalBinder;
}

/** `name` in parentheses behind a variant. */
function parseBinder(state: ParseState, id: number): LocalBinder | undefined {
  if (!state.accept("(")) return undefined;
  const token = state.expectKind("name", "a name for the payload");
  state.expect(")");
  return { token, id };
}

function parseVariant(state: ParseState, id: number): Pattern {
  let variant = state.advance().text;
  // The type of the subject decides, so `Name.` in front of a variant is not stored.
  if (state.accept(".")) variant = state.expectKind("type", "a variant").text;
  const binder = parseBinder(state, id);
  return { attributes: ["variant", variant], ...defined({ binder }) };
}

function parsePattern(state: ParseState, id: number): Pattern {
  const { token } = state;
  if (state.accept("_")) return { attributes: ["any", null] };
  if (token.kind === "string") return { attributes: ["text", state.advance().text] };
  if (state.accept("-") || token.kind === "int") {
    if (state.token.kind !== "int") state.fail("an integer");
    const [, value = "0"] = parseNumber(state, token.text === "-" ? "-" : "").attributes;
    return { attributes: ["int", String(value)] };
  }
  if (state.is("true") || state.is("false")) return { attributes: ["bool", state.advance().text] };
  const isVariant = token.kind === "type" || ["some", "none", "ok", "err"].some((word) => state.is(word));
  return isVariant ? parseVariant(state, id) : state.fail("a pattern");
}

/** `pattern => expression,` with its notes. A block holds several statements. */
export function parseArm(
  state: ParseState,
  expression: (state: ParseState) => Input,
): { readonly note: string | null; readonly value: GraphNode } {
  const note = parseNotes(state);
  const id = state.newId();
  const { attributes, binder } = parsePattern(state, id);
  state.acceptId(id);
  state.expect("=>");
  const region = state.scoped((): Region => {
    if (state.is("{")) return state.block(state, binder === undefined ? [] : [binder]);
    if (binder !== undefined) state.declare(binder.token, { id, isCell: false });
    return [{ note: null, value: expression(state) }];
  });
  if (!state.accept(",") && !state.is("}")) state.fail('"," or "}"');
  const name: Attribute = binder?.token.text ?? null;
  return { note, value: state.node("arm", { id, attributes: [...attributes, name], regions: [region] }) };
}
