/**
 * Reads a stored line back exactly as JSON.stringify wrote it. Its hash is proven by then, so it is not judged again: a
 * value that should never have been written (an integer beyond 2^53 in an outcome, say) must still be read the same by
 * everybody. To refuse it here would stop every node at that position, for ever.
 *
 * JSON.parse does that, except for names that were written with an escape (see has-escaped-name.ts). Lines that have
 * one go through the reader below; it parses a name as a value, where the mistake does not happen.
 */
import { endOfString, hasEscapedName } from "../machine/canonical/has-escaped-name.ts";
import type { Json } from "../machine/json.ts";

export function readLine(line: string): Json {
  if (!hasEscapedName(line)) return JSON.parse(line) as Json;
  const reader: Reader = { line, at: 0 };
  const value = readValue(reader);
  if (reader.at !== line.length) throw new SyntaxError(`Nothing should follow at ${reader.at}.`);
  return value;
}

interface Reader {
  readonly line: string;
  at: number;
}

/** JSON.stringify writes no white space, so none is expected. */
function readValue(reader: Reader): Json {
  const sign = reader.line[reader.at];
  if (sign === "{") return readObject(reader);
  if (sign === "[") return readArray(reader);
  if (sign === '"') return readText(reader);
  return readWord(reader);
}

function readObject(reader: Reader): Json {
  const members: [string, Json][] = [];
  take(reader, "{");
  while (!takeIf(reader, "}")) {
    if (members.length > 0) take(reader, ",");
    const name = readText(reader);
    take(reader, ":");
    members.push([name, readValue(reader)]);
  }
  // Defines each member as its own, __proto__ too, as JSON.parse does.
  return Object.fromEntries(members);
}

function readArray(reader: Reader): Json {
  const elements: Json[] = [];
  take(reader, "[");
  while (!takeIf(reader, "]")) {
    if (elements.length > 0) take(reader, ",");
    elements.push(readValue(reader));
  }
  return elements;
}

function readText(reader: Reader): string {
  const start = reader.at;
  take(reader, '"');
  reader.at = endOfString(reader.line, reader.at) + 1;
  return JSON.parse(reader.line.slice(start, reader.at)) as string;
}

const word = /[^,\]}]*/y;

/** A number, true, false or null. */
function readWord(reader: Reader): Json {
  word.lastIndex = reader.at;
  const text = word.exec(reader.line)?.[0] ?? "";
  reader.at += text.length;
  return JSON.parse(text) as Json;
}

function takeIf(reader: Reader, sign: string): boolean {
  if (reader.line[reader.at] !== sign) return false;
  reader.at += 1;
  return true;
}

function take(reader: Reader, sign: string): void {
  if (!takeIf(reader, sign)) throw new SyntaxError(`${sign} is missing at ${reader.at}.`);
}
