import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { closestWord } from "../base/closest-word.ts";

/** A value that does not match its schema, by pointer. */
export interface Issue {
  readonly pointer: string;
  readonly message: string;
}

/** Checks a value. `undefined` means that the value matches. */
export type InputCheck = (value: unknown) => readonly Issue[] | undefined;

const issuesMax = 20;

const checks = new WeakMap<TSchema, InputCheck>();

/** The check of a schema, which is compiled once. The result depends on the value alone, so decisions may use it. */
export function checkOf(schema: TSchema): InputCheck {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const check = compiledCheck(schema);
  checks.set(schema, check);
  return check;
}

function compiledCheck(schema: TSchema): InputCheck {
  const compiled = Compile(schema);
  return (value) => {
    if (compiled.Check(value)) return undefined;
    const issues = compiled
      .Errors(value)
      // The validator reports an extra member twice. Only the report about the object names the members.
      .filter((error) => error.keyword !== "boolean")
      .map((error) => ({ pointer: error.instancePath, message: messageOf(error, schema) }));
    return issues.slice(0, issuesMax);
  };
}

interface SchemaError {
  readonly keyword: string;
  readonly message: string;
  readonly params: object;
  readonly schemaPath: string;
}

function messageOf(error: SchemaError, schema: TSchema): string {
  if ("additionalProperties" in error.params && Array.isArray(error.params.additionalProperties)) {
    const names = error.params.additionalProperties.map(String);
    const known = memberNamesAt(schema, error.schemaPath);
    const meant = names.flatMap(
      (name) => closestWord(name, known) ?? known.find((other) => other.startsWith(`${name}_`)) ?? [],
    );
    return `must not have ${names.join(", ")}${meant.length === 0 ? "" : `; did you mean ${meant.join(", ")}?`}`;
  }
  if ("requiredProperties" in error.params && String(error.params.requiredProperties) === "value") {
    return `${error.message}: send {"value": …}`;
  }
  // A pattern explains little to people. The description of the field does.
  const description = error.keyword === "pattern" ? descriptionAt(schema, error.schemaPath) : undefined;
  return description === undefined ? error.message : `has the wrong form. ${description}`;
}

function descriptionAt(schema: TSchema, path: string): string | undefined {
  const described = nodeAt(schema, path.split("/").slice(1)) as { readonly description?: unknown } | undefined;
  return typeof described?.description === "string" ? described.description : undefined;
}

/** The members that the object of this error may have. The path ends with the keyword. */
function memberNamesAt(schema: TSchema, path: string): readonly string[] {
  const segments = path.split("/").slice(1);
  const isKeyword = segments.at(-1) === "additionalProperties";
  const node = nodeAt(schema, isKeyword ? segments.slice(0, -1) : segments);
  return Object.keys((node as { readonly properties?: object } | undefined)?.properties ?? {});
}

function nodeAt(schema: TSchema, segments: readonly string[]): unknown {
  let node: unknown = schema;
  for (const segment of segments) {
    node = typeof node === "object" && node !== null ? (node as Record<string, unknown>)[segment] : undefined;
  }
  return node;
}
