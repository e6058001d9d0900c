/**
 * The branch of a union that a value was meant for. A validator reports the errors of all branches, and those of the
 * others are misleading.
 */
import type { TSchema } from "typebox";
import { parsePointer } from "../json/parse-pointer.ts";

/** A union of objects, and the object that matches none of them. */
export interface FailedUnion {
  /** The place of the object, as a JSON Pointer. */
  readonly pointer: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly branches: readonly ObjectBranch[];
}

type ObjectBranch = TSchema & { readonly properties: Readonly<Record<string, { readonly const?: unknown }>> };

interface ErrorPlace {
  readonly schemaPath: string;
  readonly instancePath: string;
}

/** The keywords of a schema that lead to a member or an item of the value. */
const membersOfValue = new Set(["properties", "items", "additionalProperties", "patternProperties"]);

/** The outermost union of objects that an error is about. */
export function failedUnion(schema: TSchema, error: ErrorPlace, value: unknown): FailedUnion | undefined {
  const names = parsePointer(error.instancePath) ?? [];
  let node: unknown = schema;
  let depth = 0;
  let isName = false;
  for (const segment of error.schemaPath.split("/").slice(1)) {
    const branches = !isName && segment === "anyOf" ? objectBranches(node) : undefined;
    const found = branches === undefined ? undefined : valueAt(value, names.slice(0, depth));
    if (branches !== undefined && isRecord(found)) {
      const pointer = error.instancePath.split("/").slice(0, depth + 1);
      return { pointer: pointer.join("/"), value: found, branches };
    }
    node = isRecord(node) || Array.isArray(node) ? (node as Record<string, unknown>)[segment] : undefined;
    if (!isName && membersOfValue.has(segment)) depth += 1;
    isName = !isName && (segment === "properties" || segment === "patternProperties");
  }
  return undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function valueAt(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (found, name) =>
      typeof found === "object" && found !== null ? (found as Record<string, unknown>)[name] : undefined,
    value,
  );
}

function objectBranches(node: unknown): readonly ObjectBranch[] | undefined {
  const branches = isRecord(node) ? node["anyOf"] : undefined;
  if (!Array.isArray(branches)) return undefined;
  const objects = branches.filter((branch) => isRecord(branch) && isRecord(branch["properties"]));
  return objects.length > 1 ? (objects as ObjectBranch[]) : undefined;
}

/** The member that names the branch: it is a constant in each of them. */
export function branchTag({ branches }: FailedUnion): string | undefined {
  const [first] = branches;
  return Object.keys(first?.properties ?? {}).find((name) =>
    branches.every(({ properties }) => properties[name]?.const !== undefined),
  );
}

/** The branch that the tag names. Without a tag it is the only one with the most members of the value. */
export function meantBranch(union: FailedUnion, tag: string | undefined): ObjectBranch | undefined {
  const { branches, value } = union;
  if (tag !== undefined) return branches.find(({ properties }) => properties[tag]?.const === value[tag]);
  const shared = branches.map(({ properties }) => Object.keys(value).filter((name) => name in properties).length);
  const most = Math.max(...shared);
  return shared.filter((count) => count === most).length === 1 ? branches[shared.indexOf(most)] : undefined;
}
