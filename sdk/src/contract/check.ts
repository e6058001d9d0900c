import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { closestWord } from "../base/closest-word.ts";
import { failedUnion, meantBranch, branchTag } from "./failed-union.ts";
import type { FailedUnion } from "./failed-union.ts";

/** A value that does not match its schema, by pointer. */
export interface Issue {
  readonly pointer: string;
  readonly message: string;
}

/** Checks a value. `undefined` means that the value matches. */
export type InputCheck = (value: unknown) => readonly Issue[] | undefined;

const issuesMax = 20;

/**
 * The validator reports an extra member twice, and only the report about the object names the members. It reports a union
 * after each of its branches.
 */
const repeated: ReadonlySet<string> = new Set(["boolean", "anyOf"]);

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
    const issues = new Map<string, Issue>();
    for (const error of compiled.Errors(value).filter(({ keyword }) => !repeated.has(keyword))) {
      const union = failedUnion(schema, error, value);
      const found = union === undefined ? undefined : unionIssues(union);
      for (const issue of found ?? [{ pointer: error.instancePath, message: messageOf(error, schema) }])
        issues.set(`${issue.pointer} ${issue.message}`, issue);
    }
    return [...issues.values()].slice(0, issuesMax);
  };
}

/** The issues of the branch that was meant. Undefined if it is not known. */
function unionIssues(union: FailedUnion): readonly Issue[] | undefined {
  const { pointer, value, branches } = union;
  const tag = branchTag(union);
  const branch = meantBranch(union, tag);
  if (branch !== undefined)
    return checkOf(branch)(value)?.map((issue) => ({ ...issue, pointer: `${pointer}${issue.pointer}` }));
  if (tag === undefined) return undefined;
  if (value[tag] === undefined) return [{ pointer, message: `must have required properties ${tag}` }];
  const known = branches.map(({ properties }) => String(properties[tag]?.const));
  const meant = typeof value[tag] === "string" ? closestWord(value[tag], known) : undefined;
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return [{ pointer: `${pointer}/${tag}`, message: `must be one of ${known.join(", ")}${hint}` }];
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
