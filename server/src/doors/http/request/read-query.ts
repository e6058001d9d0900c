import { HttpProblem } from "../response/http-problem.ts";

/** Maximum number of characters of a query that an error quotes. */
const quotedMax = 100;

type Query = ReadonlyMap<string, readonly string[]>;

/** The query parameters, each with all its values. Invalid UTF-8 is refused. */
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
 * Converts text to the type of the schema. Text that does not match stays text, so that the schema refuses it. An
 * integer has one spelling: `1e3`, `+1` and ` 1` are not integers. A number is plain digits, with or without a fraction.
 */
export function typedValues(query: Query, schemas: Readonly<Record<string, object>>): Record<string, unknown> {
  const typed: Record<string, unknown> = {};
  for (const [name, values] of query) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    // This name would disappear from the object. No parameter has it.
    if (name === "__proto__") throw malformed("query parameter __proto__ does not exist. Remove it");
    if (schema !== undefined && typeOf(schema) === "array") typed[name] = values;
    else if (values.length > 1) throw repeated(name);
    else typed[name] = typedValue(values[0] ?? "", schema);
  }
  return typed;
}

function typedValue(text: string, schema: object | undefined): unknown {
  const type = schema === undefined ? undefined : typeOf(schema);
  if (type === "integer" && /^(0|-?[1-9][0-9]{0,15})$/u.test(text)) return Number(text);
  if (type === "number" && /^-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,17})?$/u.test(text)) return Number(text) + 0;
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
    throw malformed(`query text ${JSON.stringify(text.slice(0, quotedMax))} is not valid percent-encoded UTF-8`);
  }
}

function repeated(name: string): HttpProblem {
  return new HttpProblem("input_invalid", {
    issues: [{ pointer: `/${name}`, message: "is sent more than once. Send it once" }],
  });
}

function malformed(reason: string): HttpProblem {
  return new HttpProblem("request_malformed", { reason });
}
