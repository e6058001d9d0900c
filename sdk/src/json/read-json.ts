import { endOfString, hasEscapedName } from "./has-escaped-name.ts";
import type { Json } from "./json.ts";

/**
 * Reads JSON text that this project wrote: journal lines, checkpoint rows, and messages from the server. The result is
 * exactly the value that was written. Use it instead of JSON.parse, which can misread escaped names (see
 * has-escaped-name.ts).
 *
 * It accepts everything that JSON.parse accepts, including values that `parseJson` refuses. A stored line may contain
 * such a value, for example an integer beyond 2^53, and every node must read it in the same way. Refusing it would stop
 * every node at that position forever. Text that is not JSON throws a SyntaxError.
 */
export function readJson(text: string): Json {
  if (!hasEscapedName(text)) return JSON.parse(text) as Json;
  const reader: Reader = { text, at: 0 };
  const value = readValue(reader);
  if (reader.at !== text.length) throw new SyntaxError(`Unexpected text after the JSON value at offset ${reader.at}`);
  return value;
}

/** `at` is never on white space between tokens. */
interface Reader {
  readonly text: string;
  at: number;
}

function readValue(reader: Reader): Json {
  skipSpace(reader);
  const sign = reader.text[reader.at];
  if (sign === "{") return readObject(reader);
  if (sign === "[") return readArray(reader);
  return sign === '"' ? readString(reader) : readScalar(reader);
}

function readObject(reader: Reader): Json {
  const members: [string, Json][] = [];
  expect(reader, "{");
  while (!accept(reader, "}")) {
    if (members.length > 0) expect(reader, ",");
    const name = readString(reader);
    expect(reader, ":");
    members.push([name, readValue(reader)]);
  }
  // Defines each member as an own property, also `__proto__`, as JSON.parse does.
  return Object.fromEntries(members);
}

function readArray(reader: Reader): Json {
  const elements: Json[] = [];
  expect(reader, "[");
  while (!accept(reader, "]")) {
    if (elements.length > 0) expect(reader, ",");
    elements.push(readValue(reader));
  }
  return elements;
}

/** JSON.parse reads a string correctly if the string is the whole text. */
function readString(reader: Reader): string {
  const start = reader.at;
  if (reader.text[start] !== '"') throw new SyntaxError(`Expected a string at offset ${start}`);
  reader.at = endOfString(reader.text, start + 1) + 1;
  const value = JSON.parse(reader.text.slice(start, reader.at)) as string;
  skipSpace(reader);
  return value;
}

const scalar = /[^,\]}]*/y;

/** A number, true, false or null, with the white space behind it. */
function readScalar(reader: Reader): Json {
  scalar.lastIndex = reader.at;
  const text = scalar.exec(reader.text)?.[0] ?? "";
  reader.at += text.length;
  return JSON.parse(text) as Json;
}

function accept(reader: Reader, sign: string): boolean {
  if (reader.text[reader.at] !== sign) return false;
  reader.at += 1;
  skipSpace(reader);
  return true;
}

function expect(reader: Reader, sign: string): void {
  if (!accept(reader, sign)) throw new SyntaxError(`Expected ${sign} at offset ${reader.at}`);
}

const space = /[ \n\r\t]*/y;

function skipSpace(reader: Reader): void {
  space.lastIndex = reader.at;
  reader.at += space.exec(reader.text)?.[0].length ?? 0;
}
