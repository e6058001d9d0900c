/** Sentences that hold more than one fact, and paragraphs that are chained by semicolons and colons. */
import type { Finding } from "./finding.ts";
import { lineAt, type ProseBlock, proseOf } from "./prose.ts";
import type { ProjectFile } from "./tree.ts";

export const sentenceWordsMax = 25;
/** Maximum semicolons of a paragraph. Colons count too, except those of a text, which may be a row of output. */
export const semicolonsMax = 1;

/** A part of a block, with its offset in the file. */
interface Part {
  readonly start: number;
  readonly text: string;
}

const isSentence = (text: string): boolean => /^\p{Lu}[^\n]*[.!?]$/u.test(text.trim());

/** Names, values and statements of SQL are strings too; only sentences count. */
const isProse = ({ kind, text }: ProseBlock): boolean =>
  kind === "comment" || kind === "paragraph" || (kind === "string" && isSentence(text));

function split(part: Part, separator: RegExp): readonly Part[] {
  const ends = [...part.text.matchAll(separator)].map(({ index, 0: match }) => index + match.length);
  const starts = [0, ...ends];
  return starts.map((from, index) => ({
    start: part.start + from,
    text: part.text.slice(from, starts[index + 1] ?? part.text.length),
  }));
}

/** In a comment a paragraph ends at an empty line, before a list item, and before a line that has columns. */
const paragraphsIn = (part: Part): readonly Part[] =>
  split(part, /\n[ \t]*(?=\n)|\n(?=[ \t]*(?:-|\d+\.)[ \t])|\n(?=[^\n]*\S {3,}\S)/gu);

/** A sentence ends where the next one starts with a capital, a number, a code span or a quote. */
const sentencesIn = (part: Part): readonly Part[] => split(part, /[.!?]["')\]*_]*\s+(?=["'([*_]*[\p{Lu}\d_])/gu);

const wordCount = (text: string): number => text.split(/\s+/u).filter((word) => /[\p{L}\p{N}_]/u.test(word)).length;
const semicolonCount = (text: string): number => text.replace(/&\w+;/gu, "").split(";").length - 1;
const colonCount = (text: string): number => [...text.matchAll(/:(?=\s|$)/gu)].length;

function findingsIn(paragraph: Part, file: ProjectFile, kind: ProseBlock["kind"]): readonly Finding[] {
  const found = (part: Part, message: string): Finding => {
    const from = part.start + part.text.search(/\S|$/u);
    return { path: file.path, line: lineAt(file.text, from), message };
  };
  const long = sentencesIn(paragraph)
    .map((part) => ({ part, count: wordCount(part.text) }))
    .filter(({ count }) => count > sentenceWordsMax)
    .map(({ part, count }) => found(part, `a sentence of ${count} words → one fact per sentence, at most 25 words`));
  const signs = semicolonCount(paragraph.text) + (kind === "string" ? 0 : colonCount(paragraph.text));
  if (signs <= semicolonsMax) return long;
  return [...long, found(paragraph, `${signs} semicolons and colons in one paragraph → at most ${semicolonsMax}`)];
}

export const findLongSentences = (files: readonly ProjectFile[]): readonly Finding[] =>
  files.flatMap((file) =>
    proseOf(file)
      .filter(isProse)
      .flatMap((block) => paragraphsIn(block).flatMap((paragraph) => findingsIn(paragraph, file, block.kind))),
  );
