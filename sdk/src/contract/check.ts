import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

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
    return `must not have ${error.params.additionalProperties.map(String).join(", ")}`;
  }
  // A pattern explains little to people. The description of the field does.
  const description = error.keyword === "pattern" ? descriptionAt(schema, error.schemaPath) : undefined;
  return description === undefined ? error.message : `has the wrong form. ${description}`;
}

function descriptionAt(schema: TSchema, path: string): string | undefined {
  let node: unknown = schema;
  for (const segment of path.split("/").slice(1)) {
    node = typeof node === "object" && node !== null ? (node as Record<string, unknown>)[segment] : undefined;
  }
  const described = node as { readonly description?: unknown } | undefined;
  return typeof described?.description === "string" ? described.description : undefined;
}
