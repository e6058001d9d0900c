/**
 * The HTTP route of each operation. A public operation without a route does not compile. The HTTP door, the OpenAPI
 * document and the tests are built from this table.
 */
import { allOperations } from "./all-operations.ts";
import type { OperationName } from "./all-operations.ts";
import type { Operation } from "./operation.ts";
import { packs, resourceOfOperation } from "./packs/packs.ts";
import type { Pack } from "./packs/packs.ts";

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A name in braces is a member of the input. */
  readonly path: string;
  /** The status of a success. A queued lock always gets 202, and a resumed agent 200. */
  readonly status: 200 | 201;
  /** The required precondition header. It carries the version that the caller expects. */
  readonly needs?: "if-match" | "if-none-match";
  /** The part of the path that names the calling agent. It is not a member of the input. */
  readonly speaker?: string;
  /** Members that a caller cannot send here. */
  readonly without?: readonly string[];
  /** The member of the input that the body of a merge patch becomes; `merge` by default. */
  readonly patches?: string;
  /** The request can be held open with `Prefer: wait=n`. */
  readonly waits?: true;
}

type Routes = readonly [Route, ...Route[]];

const get = (path: string, more: Partial<Route> = {}): Route => ({ method: "GET", path, status: 200, ...more });
const post = (path: string, more: Partial<Route> = {}): Route => ({ method: "POST", path, status: 200, ...more });
const remove = (path: string, more: Partial<Route> = {}): Route => ({ method: "DELETE", path, status: 200, ...more });

const entity = "/v1/entities/{type}/{id}";
const ifMatch = { status: 200, needs: "if-match" } as const;

export const routes: Readonly<Record<OperationName, Routes>> = {
  "create-entity": [
    post("/v1/entities/{type}", { status: 201, without: ["expected_version"] }),
    { method: "PUT", path: entity, status: 201, needs: "if-none-match" },
  ],
  "replace-entity": [{ method: "PUT", path: entity, ...ifMatch }],
  "patch-entity": [{ method: "PATCH", path: entity, ...ifMatch }],
  "delete-entity": [{ method: "DELETE", path: entity, ...ifMatch }],
  "get-entity": [get(entity)],
  "list-entities": [get("/v1/entities/{type}")],
  "list-history": [get(`${entity}/history`)],

  "register-agent": [post("/v1/agents/register", { status: 201, without: ["secret_hash"] })],
  heartbeat: [post("/v1/agents/heartbeat"), post("/v1/agents/{agent_id}/heartbeat", { speaker: "agent_id" })],
  "end-agent": [remove("/v1/agents/{agent_id}")],
  "list-agents": [get("/v1/agents")],
  "who-am-i": [get("/v1/agents/me")],

  "acquire-lock": [post("/v1/locks/acquire", { waits: true })],
  "release-lock": [post("/v1/locks/release")],
  "renew-lock": [post("/v1/locks/renew")],
  "upgrade-lock": [post("/v1/locks/upgrade", { waits: true })],
  "downgrade-lock": [post("/v1/locks/downgrade")],
  "transfer-lock": [post("/v1/locks/transfer")],
  "request-release": [post("/v1/locks/request-release")],
  "accept-lock": [post("/v1/locks/accept")],
  "cancel-ticket": [post("/v1/locks/cancel"), remove("/v1/tickets/{ticket}")],
  "force-release": [post("/v1/locks/force-release")],
  "override-release": [post("/v1/locks/override-release")],
  "configure-locks": [post("/v1/locks/configure")],
  "list-locks": [get("/v1/locks")],
  "get-lock": [get("/v1/locks/status")],
  "get-ticket": [get("/v1/tickets/{ticket}", { waits: true })],
  "list-waits": [get("/v1/locks/waits")],
  "list-lock-history": [get("/v1/locks/history")],
  "check-fence": [get("/v1/locks/check-fence")],

  "list-journal": [get("/v1/journal")],
  "list-audit": [get("/v1/audit")],

  "create-token": [post("/v1/tokens", { status: 201, without: ["secret_hash"] })],
  "list-tokens": [get("/v1/tokens")],
  "rotate-token": [post("/v1/tokens/{token_id}/rotate", { without: ["secret_hash"] })],
  "rotate-operator-token": [post("/v1/tokens/rotate-operator")],
  "revoke-token": [remove("/v1/tokens/{token_id}")],

  configure: [post("/v1/space/configure")],
  "raise-rules": [post("/v1/space/raise-rules")],
  "erase-payload": [post("/v1/space/erase-payload", { without: ["events"] })],
};

/** The source of a member of the input. A `condition` comes from If-Match or If-None-Match. */
export type MemberSource = "path" | "query" | "body" | "condition";

/** An operation at one of its routes, with the source of each member of its input. */
export interface RoutedOperation {
  readonly operation: Operation;
  readonly route: Route;
  readonly sources: ReadonlyMap<string, MemberSource>;
}

export const routedOperations: readonly RoutedOperation[] = [
  ...Object.entries(routes).flatMap(([name, list]) =>
    list.map((route) => routed(allOperations[name as OperationName], route)),
  ),
  ...packs.flatMap((pack) =>
    Object.values(pack.operations).map((operation) => routed(operation, packRoute(pack, operation.name))),
  ),
];

function routed(operation: Operation, route: Route): RoutedOperation {
  return { operation, route, sources: sourcesOf(operation, route) };
}

/** The route of a pack's operation: `transition-mission` is at `/v1/planning/missions/{id}/transition`. */
function packRoute(pack: Pack, operation: string): Route {
  const resource = resourceOfOperation(pack, operation);
  if (resource === undefined) throw new Error(`${operation} belongs to no resource of ${pack.name}`);
  const all = `/v1/${pack.name}/${resource.plural}`;
  const verb = operation.slice(0, operation.indexOf("-"));
  switch (verb) {
    case "create":
      return post(all, { status: 201 });
    case "list":
      return get(all);
    case "get":
      return get(`${all}/{id}`);
    case "update":
      return { method: "PATCH", path: `${all}/{id}`, ...ifMatch, patches: "changes" };
    case "delete":
      return remove(`${all}/{id}`, ifMatch);
    default:
      return post(`${all}/{id}/${verb}`, ifMatch);
  }
}

/** The names in the braces of a path. */
export function namesInPath(path: string): readonly string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/gu)].map(([, name = ""]) => name);
}

/** The members of an object's schema. */
export function membersOf(schema: object): Readonly<Record<string, object>> {
  return "properties" in schema ? (schema.properties as Record<string, object>) : {};
}

function sourcesOf(operation: Operation, route: Route): ReadonlyMap<string, MemberSource> {
  const inPath = namesInPath(route.path);
  const names = Object.keys(membersOf(operation.input)).filter((name) => route.without?.includes(name) !== true);
  return new Map(names.map((name) => [name, inPath.includes(name) ? "path" : sourceOf(route, name)]));
}

function sourceOf({ method, needs, patches }: Route, name: string): MemberSource {
  if (needs !== undefined && (name === "expected_version" || name === "expected_revision")) return "condition";
  // The body of a PATCH is the patch itself, so all other members are in the query.
  if (method === "PATCH") return name === "merge" || name === "patch" || name === patches ? "body" : "query";
  return method === "POST" || method === "PUT" ? "body" : "query";
}
