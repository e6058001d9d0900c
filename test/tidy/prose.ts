/**
 * Finds the text that people read in a file: comments, string literals and documents. Each block keeps its length and its
 * line breaks, so that an offset in a block leads to a line of the file. Comment signs become blanks, code becomes `_`.
 */
import { extname } from "node:path";
import type { ProjectFile } from "./tree.ts";

export interface ProseBlock {
  /** `code` is a code block of a document. `row` is a line of a table, or of a file without sentences. */
  readonly kind: "comment" | "string" | "paragraph" | "heading" | "row" | "code";
  /** Offset in the file. */
  readonly start: number;
  readonly text: string;
}

const sourceFiles = new Set([".ts", ".js"]);
const hashCommentFiles = new Set([".py", ".yml", ".yaml", ".service"]);

/** Markers of a list item, a quote or a heading at the start of a line. */
const marker = /^(\s*)([-*+]|\d+\.|>|#+)(?=\s)/u;
const fence = /^\s*(```|~~~)/u;

export function proseOf({ path, text }: ProjectFile): readonly ProseBlock[] {
  const extension = extname(path);
  if (sourceFiles.has(extension)) return joinLineComments(new SourceScanner(text).scan(), text);
  if (extension === ".md") return documentBlocks(text);
  if (extension === ".sql") return commentedLines(text, "--");
  if (hashCommentFiles.has(extension) || path === ".ci/run") return commentedLines(text, "#");
  return [];
}

/** The line of an offset, counted from 1. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** Removes text and keeps its length and its line breaks. */
const blank = (match: string): string => match.replace(/[^\n]/gu, " ");
const placeholder = (match: string): string => match.replace(/[^\n]/gu, "_");

/** A code span or an address is one word. */
const hideCode = (text: string): string => text.replace(/`[^`\n]+`|https?:\/\/[^\s)>\]]+/gu, placeholder);

function cleanComment(raw: string): string {
  const bare = raw
    .replace(/^\/\*+|\*+\/$/gu, blank)
    .replace(/^[ \t]*\*(?=[ \t]|$)/gmu, blank)
    .replace(/^[ \t]*(\/\/|--|#)!?/gmu, blank);
  return hideCode(bare);
}

/** Reads TypeScript as far as needed to distinguish comments, strings and regular expressions. */
class SourceScanner {
  readonly #text: string;
  readonly #blocks: ProseBlock[] = [];
  #at = 0;
  /** Decides whether a slash divides or starts a regular expression. */
  #previous = "";

  constructor(text: string) {
    this.#text = text;
  }

  scan(): readonly ProseBlock[] {
    this.#scanCode(false);
    return this.#blocks.toSorted((a, b) => a.start - b.start);
  }

  /** Ends at the end of the file, or after the brace that closes an expression in a template. */
  #scanCode(inTemplate: boolean): void {
    let depth = 0;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? "";
      if (inTemplate && character === "}" && depth === 0) return;
      if (character === "{") depth += 1;
      if (character === "}") depth -= 1;
      this.#scanToken(character);
    }
  }

  #scanToken(character: string): void {
    if (character === '"' || character === "'") this.#scanString(character);
    else if (character === "`") this.#scanTemplate();
    else if (character === "/") this.#scanSlash();
    else {
      const word = /[\w$]+|\s+|[^]/uy;
      word.lastIndex = this.#at;
      const token = word.exec(this.#text)?.[0] ?? character;
      if (token.trim() !== "") this.#previous = token;
      this.#at += token.length;
    }
  }

  #scanSlash(): void {
    const rest = /\/\/[^\n]*|\/\*[^]*?\*\//uy;
    rest.lastIndex = this.#at;
    const comment = rest.exec(this.#text)?.[0];
    if (comment !== undefined) {
      this.#blocks.push({ kind: "comment", start: this.#at, text: cleanComment(comment) });
      this.#at += comment.length;
      return;
    }
    const pattern = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/uy;
    pattern.lastIndex = this.#at;
    const isDivision = /^[\w$)\]}"`]/u.test(this.#previous) && !/^(return|typeof|case|in|of)$/u.test(this.#previous);
    const literal = isDivision ? undefined : pattern.exec(this.#text)?.[0];
    this.#previous = literal === undefined ? "/" : "`";
    this.#at += literal?.length ?? 1;
  }

  #scanString(quote: string): void {
    const start = this.#at + 1;
    this.#at = start;
    while (this.#at < this.#text.length && this.#text[this.#at] !== quote && this.#text[this.#at] !== "\n") {
      this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    }
    this.#push(start, this.#text.slice(start, this.#at));
    this.#at += 1;
  }

  /** An expression inside a template counts as one word. */
  #scanTemplate(): void {
    const start = this.#at + 1;
    let text = "";
    let from = start;
    this.#at = start;
    while (this.#at < this.#text.length && this.#text[this.#at] !== "`") {
      if (this.#text[this.#at] === "$" && this.#text[this.#at + 1] === "{") {
        text += this.#text.slice(from, this.#at);
        from = this.#at;
        this.#at += 2;
        this.#scanCode(true);
        this.#at += 1;
        text += placeholder(this.#text.slice(from, this.#at));
        from = this.#at;
      } else this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    }
    this.#push(start, text + this.#text.slice(from, this.#at));
    this.#at += 1;
  }

  #push(start: number, raw: string): void {
    const text = raw.replace(/\\[nrt"'`$]/gu, (escape) => (escape.startsWith("\\n") ? " \u2029" : "  "));
    this.#blocks.push({ kind: "string", start, text: hideCode(text) });
    this.#previous = "`";
  }
}

/** Line comments in successive lines are one comment. */
function joinLineComments(blocks: readonly ProseBlock[], text: string): readonly ProseBlock[] {
  const joined: ProseBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    const gap = last === undefined ? "" : text.slice(last.start + last.text.length, block.start);
    const isNext = last?.kind === "comment" && text.startsWith("//", last.start) && text.startsWith("//", block.start);
    if (isNext && /^\n[ \t]*$/u.test(gap)) joined.splice(-1, 1, { ...last, text: last.text + gap + block.text });
    else joined.push(block);
  }
  return joined;
}

/** Files whose every line may hold text: comments become blocks, other lines are rows. */
function commentedLines(text: string, sign: string): readonly ProseBlock[] {
  const blocks: ProseBlock[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const last = blocks.at(-1);
    if (line.trimStart().startsWith(sign)) {
      const isNext = last?.kind === "comment" && last.start + last.text.length + 1 === start;
      if (isNext) blocks.splice(-1, 1, { ...last, text: `${last.text}\n${cleanComment(line)}` });
      else blocks.push({ kind: "comment", start, text: cleanComment(line) });
    } else if (line.trim() !== "") blocks.push({ kind: "row", start, text: hideCode(line) });
    start += line.length + 1;
  }
  return blocks;
}

/** The blocks of a document: a paragraph ends at an empty line, a list item, a table or a code block. */
function documentBlocks(text: string): readonly ProseBlock[] {
  const blocks: ProseBlock[] = [];
  let start = 0;
  let inFence = false;
  let isOpen = false;
  for (const line of text.split("\n")) {
    const isFence = fence.test(line);
    if (isFence) inFence = !inFence;
    const isRow = line.trimStart().startsWith("|");
    const last = blocks.at(-1);
    if (isFence || line.trim() === "") isOpen = false;
    else if (inFence || isRow) {
      blocks.push({ kind: inFence ? "code" : "row", start, text: inFence ? line : hideCode(line) });
      isOpen = false;
    } else if (isOpen && last !== undefined && !marker.test(line)) {
      blocks.splice(-1, 1, { ...last, text: `${last.text}\n${line}` });
    } else {
      blocks.push({ kind: line.startsWith("#") ? "heading" : "paragraph", start, text: line });
      isOpen = !line.startsWith("#");
    }
    start += line.length + 1;
  }
  return blocks.map((block) => (block.kind === "paragraph" ? cleanParagraph(block) : block));
}

/** Blanks out markers, code spans and the targets of links. */
function cleanParagraph(block: ProseBlock): ProseBlock {
  const text = block.text.replace(marker, blank).replace(/\]\([^)\s]*\)/gu, (match) => `]${blank(match.slice(1))}`);
  return { ...block, text: hideCode(text) };
}
