import { HttpProblem } from "../response/http-problem.ts";

type Query = ReadonlyMap<string, readonly string[]>;

/** The parameters after the question mark, each with all its values. Nothing is guessed: what is not UTF-8 is refused. */
export function readQuery(url: string): Query {
  const query = new Map<string, string[]>();
  const mark = url.indexOf("?");
  if (mark < 0) return query;
  for (const part of url.slice(mark + 1).split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decoded(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? "" : decoded(part.slice(equals + 1));
    query.set(name, [...(query.get(name) ?? []), value]);
  }
  return query;
}

/**
 * Text into what a schema asks for. What does not fit stays text, so that the schema refuses it in its own words: an
 * integer has one way to be written, and `1e3`, `+1` or ` 1` is none.
 */
export function typedValues(query: Query, schemas: Readonly<Record<string, object>>): Record<string, unknown> {
  const typed: Record<string, unknown> = {};
  for (const [name, values] of query) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    // Named like this it would vanish from the object; nothing is called so.
    if (name === "__proto__") throw malformed("a parameter is called __proto__");
    if (schema !== undefined && typeOf(schema) === "array") typed[name] = values;
    else if (values.length > 1) throw repeated(name);
    else typed[name] = typedValue(values[0] ?? "", schema);
  }
  return typed;
}

function typedValue(text: string, schema: object | undefined): unknown {
  const type = schema === undefined ? undefined : typeOf(schema);
  if (type === "integer" && /^(0|-?[1-9][0-9]{0,15})$/u.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function typeOf(schema: object): unknown {
  return "type" in schema ? schema.type : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw malformed("the address is not UTF-8 behind its percent signs");
  }
}

function repeated(name: string): HttpProblem {
  return new HttpProblem("input_invalid", { issues: [{ pointer: `/${name}`, message: "is given more than once" }] });
}

function malformed(reason: string): HttpProblem {
  return new HttpProblem("request_malformed", { reason });
}
