/**
 * Translates an operation to a request to its HTTP route, from the contract's table alone, and the response to a reply.
 */
import type { CallReply } from "holdfast";
import { problemOf, routedOperations } from "@holdfast/sdk/contract";
import type { RoutedOperation } from "@holdfast/sdk/contract";
import type { OperationInput, ScriptStep } from "./script-step.ts";

export interface RouteRequest {
  readonly routed: RoutedOperation;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Undefined if no route can express the step, for example a version without a tag. */
export function routeRequestOf(step: ScriptStep, input: OperationInput, agent?: string): RouteRequest | undefined {
  const { operation, key, route: index = 0 } = step;
  const routed = routedOperations.filter((candidate) => candidate.operation.name === operation)[index];
  if (routed === undefined) return undefined;
  const { route, sources } = routed;
  const parts = { path: new Map<string, string>(), query: new URLSearchParams(), body: {} as Record<string, unknown> };
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  for (const [name, value] of Object.entries(input)) {
    const source = sources.get(name) ?? (route.method === "GET" ? "query" : "body");
    if (source === "path") parts.path.set(name, encodeURIComponent(value as string));
    else if (source === "body") parts.body[name] = value;
    else if (source === "query") parts.query.set(name, value as string);
    else Object.assign(headers, condition(routed, name, value));
  }
  Object.assign(headers, speaking(route, agent));
  if (lacksCondition(routed, input, headers)) return undefined;
  const path = route.path.replaceAll(
    /\{([a-z_]+)\}/gu,
    (_, name: string) => parts.path.get(name) ?? missing(route, name, agent),
  );
  if (path.includes("{}")) return undefined;
  const query = parts.query.size === 0 ? "" : `?${parts.query.toString()}`;
  const { body, type } = bodyOf(routed, parts.body);
  if (type !== undefined) headers["content-type"] = type;
  return { routed, method: route.method, path: `${path}${query}`, headers, body };
}

/** True if the route needs a condition, or the input has one, and no header expresses it. */
function lacksCondition({ route, sources }: RoutedOperation, input: OperationInput, headers: object): boolean {
  const header = route.needs ?? route.takes;
  const isStated = Object.keys(input).some((name) => sources.get(name) === "condition");
  return header !== undefined && !(header in headers) && (isStated || route.needs !== undefined);
}

/** The caller's expectation as a header. Empty if no header can express it. */
function condition({ route }: RoutedOperation, name: string, value: unknown): Readonly<Record<string, string>> {
  if (name === "expected_revision") return { "if-match": `"${value as string}"` };
  return value === 0 && route.needs === "if-none-match" ? { "if-none-match": "*" } : {};
}

/** The agent as a header, unless it is part of the address. */
function speaking({ speaker }: RoutedOperation["route"], agent: string | undefined): Readonly<Record<string, string>> {
  return agent === undefined || speaker !== undefined ? {} : { "x-agent-id": agent };
}

/** The agent's own id in an address is not a member of the input. */
function missing({ speaker }: RoutedOperation["route"], name: string, agent = "{}"): string {
  return speaker === name ? agent : "{}";
}

function bodyOf({ route }: RoutedOperation, members: Readonly<Record<string, unknown>>) {
  if (route.method === "GET" || route.method === "DELETE") return { body: undefined, type: undefined };
  if (route.method !== "PATCH") return { body: JSON.stringify(members), type: "application/json" };
  const isPatch = members["patch"] !== undefined;
  const type = isPatch ? "application/json-patch+json" : "application/merge-patch+json";
  return { body: JSON.stringify(members["patch"] ?? members["merge"] ?? members["changes"]), type };
}

/** The reply that a response carries. A response of a route has no events; they are in the journal. */
export async function replyOf({ routed }: RouteRequest, response: Response): Promise<CallReply> {
  const body = JSON.parse(await response.text()) as OperationInput;
  const position = Number(response.headers.get("holdfast-position"));
  const { replayed = false, ...rest } = body;
  const entry = { position, replayed: replayed as boolean, events: [] };
  if (response.ok) return { outcome: { kind: "done", data: rest }, ...entry };
  const { code, type: _type, title: _title, status, detail: _detail, next: _next, retry, ...members } = rest;
  // Every problem has its position in the journal.
  const { position: _position, instance: _instance, ...data } = members;
  const problem = problemOf(code as string);
  if (status !== response.status || problem.status !== status || problem.retry !== retry) {
    throw new Error(`${routed.operation.name}: the response differs from the registry's entry of ${String(code)}`);
  }
  const named = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name === "entity_type" ? "type" : name.replace(/^data_/u, ""), value]),
  );
  return { outcome: { kind: "refusal", code: code as string, data: named }, ...entry };
}
