import { hasEscapedName } from "./has-escaped-name.ts";
import { JsonReader } from "./json-reader.ts";
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
  const reader = new JsonReader(text);
  const value = readValue(reader);
  reader.expectEnd();
  return value;
}

function readValue(reader: JsonReader): Json {
  if (reader.accept("{")) return readMembers(reader);
  return reader.accept("[") ? readElements(reader) : (JSON.parse(reader.readText()) as Json);
}

function readMembers(reader: JsonReader): Json {
  const members: [string, Json][] = [];
  while (!reader.accept("}")) {
    if (members.length > 0) reader.expect(",");
    const name = reader.readString();
    reader.expect(":");
    members.push([name, readValue(reader)]);
  }
  // Defines each member as an own property, also `__proto__`, as JSON.parse does.
  return Object.fromEntries(members);
}

function readElements(reader: JsonReader): Json {
  const elements: Json[] = [];
  while (!reader.accept("]")) {
    if (elements.length > 0) reader.expect(",");
    elements.push(readValue(reader));
  }
  return elements;
}
