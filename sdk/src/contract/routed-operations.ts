/** Every operation at each of its HTTP routes. The HTTP door, the OpenAPI document and the tests are built from this list. */
import { publicOperations } from "./all-operations.ts";
import type { Operation } from "./operation.ts";
import { packs } from "./packs/packs.ts";
import type { Route } from "./routes.ts";

/** The source of a member of the input. A `condition` comes from If-Match or If-None-Match. */
export type MemberSource = "path" | "query" | "body" | "condition";

/** An operation at one of its routes, with the source of each member of its input. */
export interface RoutedOperation {
  readonly operation: Operation;
  readonly route: Route;
  readonly sources: ReadonlyMap<string, MemberSource>;
}

export const routedOperations: readonly RoutedOperation[] = [
  ...publicOperations,
  ...packs.flatMap(({ operations }) => operations),
].flatMap(routesOf);

/** An operation at each of its routes. */
export function routesOf(operation: Operation): readonly RoutedOperation[] {
  return operation.routes.map((route) => ({ operation, route, sources: sourcesOf(operation, route) }));
}

/** The names in the braces of a path. */
export function namesInPath(path: string): readonly string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/gu)].map(([, name = ""]) => name);
}

/** The members of an object's schema. */
export function membersOf(schema: object): Readonly<Record<string, object>> {
  return "properties" in schema ? (schema.properties as Record<string, object>) : {};
}

/** Whether the header Content-Digest has the member `sha256` of an input: the digest of its bytes. */
export function readsContentDigest({ body, input }: Pick<Operation, "body" | "input">): boolean {
  return body === "binary" && "sha256" in membersOf(input);
}

function sourcesOf(operation: Operation, route: Route): ReadonlyMap<string, MemberSource> {
  const inPath = namesInPath(route.path);
  const hidden = [...operation.sets, ...(route.without ?? [])];
  const names = Object.keys(membersOf(operation.input)).filter((name) => !hidden.includes(name));
  return new Map(names.map((name) => [name, inPath.includes(name) ? "path" : sourceOf(operation, route, name)]));
}

function sourceOf({ body }: Operation, { method, needs, takes, patches }: Route, name: string): MemberSource {
  if (body === "binary") return "query";
  if ((needs ?? takes) !== undefined && (name === "expected_version" || name === "expected_revision"))
    return "condition";
  // The body of a PATCH is the patch itself, so all other members are in the query.
  if (method === "PATCH") return name === "merge" || name === "patch" || name === patches ? "body" : "query";
  return method === "POST" || method === "PUT" ? "body" : "query";
}
