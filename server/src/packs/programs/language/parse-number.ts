import type { GraphNode } from "./node.ts";
import type { ParseState } from "./parse-state.ts";

/** The shortest exact text of a number. A float keeps a point or an exponent, so that it stays a float. */
function numberText(kind: "int" | "float", text: string): string | undefined {
  if (kind === "int") return BigInt(text).toString();
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  const short = Object.is(value, -0) ? "-0" : String(value);
  return /[.e]/u.test(short) ? short : `${short}.0`;
}

/** Maximum digits of a literal. No number of the language needs more. */
const digitsMax = 400;

export function parseNumber(state: ParseState, sign: "" | "-"): GraphNode {
  const token = state.advance();
  const kind = token.kind === "float" ? "float" : "int";
  const text = token.text.length > digitsMax ? undefined : numberText(kind, `${sign}${token.text}`);
  if (text === undefined) state.report("type.const_range", token, `The number ${token.text.slice(0, 40)} is too large`);
  return state.node("const", { attributes: [kind, text ?? "0"] });
}

const words: Readonly<Record<string, string>> = { true: "bool", false: "bool", unit: "unit" };

/** `true false unit none hole result`. */
export function parseWord(state: ParseState): GraphNode | undefined {
  const { text } = state.token;
  const kind = Object.hasOwn(words, text) ? words[text] : undefined;
  if (kind !== undefined) {
    state.advance();
    return state.node("const", { attributes: [kind, text] });
  }
  if (text === "hole" || text === "result") {
    state.advance();
    return state.node(text);
  }
  if (text !== "none") return undefined;
  state.advance();
  return state.node("enum_make", { attributes: ["option", "none"] });
}
