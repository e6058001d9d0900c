/** Splits a text into tokens. A character that begins no token is reported as a token of its own kind. */
type TokenKind = "name" | "type" | "int" | "float" | "string" | "sign" | "note" | "doc" | "wrong" | "end";

export interface SourceToken {
  readonly kind: TokenKind;
  /** The text; of a string, a note and a doc line the content. */
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

const pattern = new RegExp(
  [
    String.raw`(?<space>[ \t\r\n]+)`,
    String.raw`(?<doc>///[^\n]*)`,
    String.raw`(?<note>//[^\n]*)`,
    String.raw`(?<name>[a-z_][A-Za-z0-9_]*)`,
    String.raw`(?<type>[A-Z][A-Za-z0-9_]*)`,
    String.raw`(?<float>\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+))`,
    String.raw`(?<int>\d+)`,
    String.raw`(?<string>"(?:[^"\\\n]|\\.)*")`,
    String.raw`(?<sign>>>>|<<|>>|=>|->|==|!=|<=|>=|\.\.|\+%|-%|\*%|[-+*/%&|^~<>=(){}\[\],;:.@#])`,
    String.raw`(?<wrong>[\s\S])`,
  ].join("|"),
  "uy",
);

/** A lone surrogate cannot be stored as UTF-8, so it is wrong even inside a string. */
function stringContent(text: string): string | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === "string" && content.isWellFormed() ? content : undefined;
  } catch {
    return undefined;
  }
}

/** The text behind the slashes, without the blank in front and blanks at the end. */
const remark = (text: string, slashes: number): string => text.slice(slashes).replace(/^ /u, "").trimEnd();

function toToken(
  kind: TokenKind,
  text: string,
  place: { readonly line: number; readonly column: number },
): SourceToken {
  if (kind === "doc") return { kind, text: remark(text, 3), ...place };
  if (kind === "note") return { kind, text: remark(text, 2), ...place };
  if (kind !== "string") return { kind, text, ...place };
  const content = stringContent(text);
  return content === undefined ? { kind: "wrong", text, ...place } : { kind, text: content, ...place };
}

export function tokensOf(source: string): readonly SourceToken[] {
  const text = source.toWellFormed();
  const tokens: SourceToken[] = [];
  let line = 1;
  let lineStart = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [all] = match;
    if (match.groups?.["space"] !== undefined) {
      for (let at = all.indexOf("\n"); at !== -1; at = all.indexOf("\n", at + 1)) {
        line += 1;
        lineStart = match.index + at + 1;
      }
    } else tokens.push(toToken(kindOf(match.groups ?? {}), all, { line, column: match.index - lineStart + 1 }));
    if (pattern.lastIndex >= text.length) break;
  }
  const column = text.length - lineStart + 1;
  return [...tokens, { kind: "end", text: "the end of the text", line, column }];
}

const kinds: readonly TokenKind[] = ["name", "type", "int", "float", "string", "sign", "note", "doc"];

function kindOf(groups: Readonly<Record<string, string | undefined>>): TokenKind {
  return kinds.find((kind) => groups[kind] !== undefined) ?? "wrong";
}
