/** An operation spelled as a request to a route of its own, by the contract's table alone, and its answer read back. */
import type { CallReply } from "holdfast";
import { problemOf, routedOperations } from "@holdfast/sdk/contract";
import type { RoutedOperation } from "@holdfast/sdk/contract";
import type { Facts, Step } from "./script.ts";

export interface Spelled {
  readonly routed: RoutedOperation;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Undefined if the step says what no route of it can say: a version without a tag, or what is not in its address. */
export function spell(step: Step, input: Facts, agent?: string): Spelled | undefined {
  const { operation, key, route: index = 0 } = step;
  const routed = routedOperations.filter((one) => one.operation.name === operation)[index];
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
  if (route.needs !== undefined && headers[route.needs] === undefined) return undefined;
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

/** What the caller expects, as a header; nothing if no header can say it. */
function condition({ route }: RoutedOperation, name: string, value: unknown): Readonly<Record<string, string>> {
  if (name === "expected_revision") return { "if-match": `"${value as string}"` };
  return value === 0 && route.needs === "if-none-match" ? { "if-none-match": "*" } : {};
}

/** A part of the address that names the agent who speaks is no member of the input. */
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

/** The answer to a request as the reply that it tells. Events are in the journal, not in an answer over a route. */
export async function replyOf({ routed }: Spelled, response: Response): Promise<CallReply> {
  const body = JSON.parse(await response.text()) as Facts;
  const position = Number(response.headers.get("holdfast-position"));
  const { replayed = false, ...rest } = body;
  const facts = { position, replayed: replayed as boolean, events: [] };
  if (response.ok) return { outcome: { kind: "done", data: rest }, ...facts };
  const { code, type: _type, title: _title, status, detail: _detail, next: _next, retry, ...told } = rest;
  // Every problem tells where it stands in the journal.
  const { position: _position, instance: _instance, ...data } = told;
  const problem = problemOf(code as string);
  if (status !== response.status || problem.status !== status || problem.retry !== retry) {
    throw new Error(`${routed.operation.name}: the answer is not what the registry says of ${String(code)}`);
  }
  const named = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name === "entity_type" ? "type" : name.replace(/^data_/u, ""), value]),
  );
  return { outcome: { kind: "refusal", code: code as string, data: named }, ...facts };
}
