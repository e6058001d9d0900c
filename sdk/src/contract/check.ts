import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

/** A place where a value does not fit its schema. */
export interface Issue {
  readonly pointer: string;
  readonly message: string;
}

/** Checks a value; undefined means that it fits. */
export type Check = (value: unknown) => readonly Issue[] | undefined;

const issuesMax = 20;

/** Compiles a schema once. What it answers depends on the value alone, so decisions may use it. */
export function checkOf(schema: TSchema): Check {
  const compiled = Compile(schema);
  return (value) => {
    if (compiled.Check(value)) return undefined;
    const issues = compiled
      .Errors(value)
      // A refused extra member is reported twice; the report that names the object says which members are meant.
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
  // A pattern explains nothing to most people; the description of the field does.
  const description = error.keyword === "pattern" ? descriptionAt(schema, error.schemaPath) : undefined;
  return description === undefined ? error.message : `is not what it must be. ${description}`;
}

function descriptionAt(schema: TSchema, path: string): string | undefined {
  let place: unknown = schema;
  for (const segment of path.split("/").slice(1)) {
    place = typeof place === "object" && place !== null ? (place as Record<string, unknown>)[segment] : undefined;
  }
  const described = place as { readonly description?: unknown } | undefined;
  return typeof described?.description === "string" ? described.description : undefined;
}
