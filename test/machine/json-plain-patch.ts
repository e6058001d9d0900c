import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../sdk/src/json/json.ts";

interface Step {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: Json;
}

/** A mutable value, kept as a member so that even the whole value has a parent. */
interface Root {
  whole: unknown;
}

/** One operation as defined by the RFC, on a deep copy and without optimization. Returns undefined when it fails. */
export function plainPatch(target: Json, step: Json): Json | undefined {
  const root: Root = { whole: structuredClone(target) };
  const { op, ...rest } = step as unknown as Step;
  return plainSteps[op]?.(root, { op, ...rest }) === true ? (root.whole as Json) : undefined;
}

const plainSteps: Readonly<Record<string, (root: Root, step: Step) => boolean>> = {
  add: (root, { path, value }) => put(root, path, value),
  replace: (root, { path, value }) => {
    const found = placeIn(root, path);
    if (found === undefined || !has(found.parent, found.name)) return false;
    found.parent[found.name] = structuredClone(value);
    return true;
  },
  remove: (root, { path }) => path !== "" && take(root, path) !== undefined,
  test: (root, { path, value }) => isDeepStrictEqual(read(root, path), value),
  copy: (root, { path, from }) => read(root, from) !== undefined && put(root, path, read(root, from)),
  move: (root, { path, from }) => {
    if (path === from) return read(root, from) !== undefined;
    return !path.startsWith(`${from}/`) && read(root, from) !== undefined && put(root, path, take(root, from));
  },
};

function placeIn(root: Root, pointer: string): { parent: Record<string, unknown>; name: string } | undefined {
  const way = ["whole", ...pointer.split("/").slice(1)];
  const name = way.pop() ?? "";
  let parent = root as unknown as Record<string, unknown>;
  for (const segment of way) {
    if (!has(parent, segment)) return undefined;
    parent = parent[segment] as Record<string, unknown>;
  }
  return { parent, name };
}

function has(parent: unknown, segment: string): boolean {
  if (typeof parent !== "object" || parent === null) return false;
  if (!Array.isArray(parent)) return Object.hasOwn(parent, segment);
  return /^\d+$/u.test(segment) && Number(segment) < parent.length;
}

function read(root: Root, pointer: string): unknown {
  const found = placeIn(root, pointer);
  return found !== undefined && has(found.parent, found.name) ? found.parent[found.name] : undefined;
}

function put(root: Root, pointer: string, value: unknown): boolean {
  const found = placeIn(root, pointer);
  if (typeof found?.parent !== "object" || (found.parent as unknown) === null) return false;
  const { parent, name } = found;
  if (!Array.isArray(parent)) {
    parent[name] = structuredClone(value);
    return true;
  }
  const index = name === "-" ? parent.length : /^\d+$/u.test(name) ? Number(name) : Infinity;
  if (index > parent.length) return false;
  parent.splice(index, 0, structuredClone(value));
  return true;
}

function take(root: Root, pointer: string): unknown {
  const taken = read(root, pointer);
  const found = placeIn(root, pointer);
  if (taken === undefined || found === undefined) return undefined;
  if (Array.isArray(found.parent)) found.parent.splice(Number(found.name), 1);
  else Reflect.deleteProperty(found.parent, found.name);
  return taken;
}
