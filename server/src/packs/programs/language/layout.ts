/**
 * Lays a document out in at most 100 columns. A group stays on one line if it fits; else each of its own breaks is a new
 * line. The layout depends on the document alone, so equal functions have equal texts.
 */
export type Layout =
  | string
  | readonly Layout[]
  | { readonly kind: "group"; readonly part: Layout; readonly width: number }
  | { readonly kind: "nest"; readonly part: Layout; readonly width: number }
  | { readonly kind: "mark"; readonly id: number; readonly part: Layout; readonly width: number }
  | { readonly kind: "break"; readonly flat: string; readonly width: number };

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Maximum characters of a line, as far as breaks allow. */
const columnsMax = 100;

const isList = (part: Layout): part is readonly Layout[] => Array.isArray(part);

function widthOf(part: Layout): number {
  if (typeof part === "string") return part.length;
  return isList(part) ? part.reduce<number>((sum, each) => sum + widthOf(each), 0) : part.width;
}

export const group = (...part: readonly Layout[]): Layout => ({ kind: "group", part, width: widthOf(part) });
export const nest = (...part: readonly Layout[]): Layout => ({ kind: "nest", part, width: widthOf(part) });
/** Records the place of a node in the text. */
export const mark = (id: number, part: Layout): Layout => ({ kind: "mark", id, part, width: widthOf(part) });

/** A blank, or a new line. */
export const blank: Layout = { kind: "break", flat: " ", width: 1 };
/** Nothing, or a new line. */
const soft: Layout = { kind: "break", flat: "", width: 0 };
/** Always a new line: a group that has one never fits. */
export const newLine: Layout = { kind: "break", flat: "", width: Infinity };

export function separated(parts: readonly Layout[], separator: Layout): Layout {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}

/** `(a, b)`, with each part on a line of its own if they do not fit. */
export function enclosed(open: string, parts: readonly Layout[], close: string): Layout {
  if (parts.length === 0) return `${open}${close}`;
  return group(open, nest(soft, separated(parts, [",", blank])), soft, close);
}

export interface LaidOut {
  readonly text: string;
  readonly places: ReadonlyMap<number, TextPlace>;
}

export function layOut(document: Layout): LaidOut {
  const places = new Map<number, TextPlace>();
  const pieces: string[] = [];
  let line = 1;
  let column = 1;
  const write = (text: string): void => {
    pieces.push(text);
    column += text.length;
  };
  const place = (part: Layout, indent: number, isFlat: boolean): void => {
    if (typeof part === "string") write(part);
    else if (isList(part)) for (const each of part) place(each, indent, isFlat);
    else if (part.kind === "group") place(part.part, indent, isFlat || column - 1 + part.width <= columnsMax);
    else if (part.kind === "nest") place(part.part, indent + 2, isFlat);
    else if (part.kind === "mark") {
      if (!places.has(part.id)) places.set(part.id, { line, column });
      place(part.part, indent, isFlat);
    } else if (isFlat) write(part.flat);
    else {
      pieces.push("\n", " ".repeat(indent));
      line += 1;
      column = indent + 1;
    }
  };
  place(document, 0, false);
  return { text: pieces.join("").replace(/[ ]+$/gmu, ""), places };
}
