import { defined } from "@holdfast/sdk/base/defined";
import { membersOf, namesInPath, readsContentDigest, readsIfMatch } from "@holdfast/sdk/contract";
import type { MemberSource, Route, RoutedOperation } from "@holdfast/sdk/contract";
import { problemCodes, problemResponse, problemResponses } from "./openapi-parts.ts";
import type { OpenApiObject, ParameterName } from "./openapi-parts.ts";
import { acceptedTypes } from "../request/read-input.ts";

const ref = (section: string, name: string): OpenApiObject => ({ $ref: `#/components/${section}/${name}` });

/** An operation of the contract at one of its routes, as OpenAPI describes it. */
export function openApiOperation(routed: RoutedOperation, index: number): OpenApiObject {
  const { operation, route } = routed;
  const isTagged = readsIfMatch(route);
  const body = requestBody(routed);
  const codes = problemCodes(operation, { tagCodes: tagCodes(route), hasBody: body !== undefined });
  return {
    operationId: index === 0 ? operation.name : `${operation.name}-${index + 1}`,
    summary: operation.summary,
    tags: [tagOf(route.path)],
    parameters: [...memberParameters(routed), ...headerParameters(routed).map((name) => ref("parameters", name))],
    ...defined({ requestBody: body }),
    responses: { ...successes(routed), ...problemResponses(codes), ...weakTag(isTagged, codes) },
  };
}

/** `/v1/locks/acquire` belongs to locks. */
export function tagOf(path: string): string {
  return path.split("/")[2] ?? "server";
}

/** The refusals of a route that reads If-Match. */
function tagCodes(route: Route): readonly string[] {
  if (!readsIfMatch(route)) return [];
  return [...(route.needs === undefined ? [] : ["concurrency_etag_required"]), "concurrency_etag_invalid"];
}

function weakTag(isTagged: boolean, codes: readonly string[]): OpenApiObject {
  if (!isTagged) return {};
  const others = codes.filter((code) => code === "concurrency_mismatch" || code === "fence_stale");
  return { "412": problemResponse([...others, "concurrency_etag_invalid"]) };
}

function memberParameters({ operation, route, sources }: RoutedOperation): readonly OpenApiObject[] {
  const members = membersOf(operation.input);
  const { example } = operation;
  const described = (name: string, source: MemberSource | "path"): OpenApiObject => {
    const { description, ...schema } = (members[name] ?? { type: "string" }) as { readonly description?: string };
    return defined({
      name,
      in: source,
      required: source === "path" || isRequired(operation.input, name),
      description,
      schema,
      example: example[name],
    });
  };
  const inQuery = [...sources].filter(([, source]) => source === "query").map(([name]) => described(name, "query"));
  return [...namesInPath(route.path).map((name) => described(name, "path")), ...inQuery];
}

function headerParameters({ operation, route }: RoutedOperation): readonly ParameterName[] {
  return [
    "AgentId",
    "AgentSecret",
    "TraceParent",
    ...(operation.kind === "write" ? (["IdempotencyKey"] as const) : []),
    ...(readsIfMatch(route) ? (["IfMatch"] as const) : []),
    ...(route.needs === "if-none-match" ? (["CreateOnly"] as const) : []),
    ...(isTaggedRead(operation) ? (["IfNoneMatch"] as const) : []),
    ...(readsContentDigest(operation) ? (["ContentDigest"] as const) : []),
    ...(route.waits !== undefined ? (["Prefer"] as const) : []),
  ];
}

function requestBody(routed: RoutedOperation): OpenApiObject | undefined {
  const { operation, route, sources } = routed;
  if (operation.body === "binary") return { required: true, content: bytes };
  if (route.method === "GET") return undefined;
  const members = membersOf(operation.input);
  const { example } = operation;
  if (route.method === "PATCH") {
    const { patches = "merge" } = route;
    const merged = defined({ schema: members[patches], example: example[patches] });
    const patch = { schema: members["patch"], example: [{ op: "replace", path: "/status", value: "review" }] };
    const types = acceptedTypes(routed).map((type) => [type, type.includes("json-patch") ? patch : merged]);
    return { required: true, content: Object.fromEntries(types) as OpenApiObject };
  }
  const names = [...sources].filter(([, source]) => source === "body").map(([name]) => name);
  const tag = readsIfMatch(route) ? { if_match: { type: "string", description: "The same as If-Match." } } : {};
  if (names.length === 0 && route.needs === undefined) return undefined;
  const required = names.filter((name) => isRequired(operation.input, name));
  const schema = defined({
    type: "object",
    properties: { ...Object.fromEntries(names.map((name) => [name, members[name]])), ...tag },
    required: required.length === 0 ? undefined : required,
    additionalProperties: false,
  });
  const shown = Object.fromEntries(names.filter((name) => name in example).map((name) => [name, example[name]]));
  const [type = ""] = acceptedTypes(routed);
  return { required: required.length > 0, content: { [type]: { schema, example: shown } } };
}

/** Bytes, as a request or a response has them. */
export const bytes: OpenApiObject = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };

/** The responses of an operation that answers with a stream. */
export function streamResponses(): OpenApiObject {
  const headers = Object.fromEntries(["Holdfast-Position", "ETag"].map((header) => [header, ref("headers", header)]));
  return {
    "200": { description: "All bytes.", headers, content: bytes },
    "206": { description: "The bytes of the header Range.", headers, content: bytes },
    "304": { description: "The bytes of If-None-Match are still current." },
    ...problemResponses(["range_not_satisfiable"]),
  };
}

function successes({ operation, route }: RoutedOperation): OpenApiObject {
  if (operation.answer === "stream") return streamResponses();
  const { kind, output } = operation;
  const isWrite = kind === "write";
  const schema = isWrite ? { allOf: [withoutClosing(output), replayedSchema] } : output;
  // A deleted entity has no representation, so it has no tag.
  const isTagged = "revision" in membersOf(output) && route.method !== "DELETE";
  const names = [
    "Holdfast-Position",
    ...(isWrite ? ["Idempotent-Replayed"] : []),
    ...(isTagged ? ["ETag"] : []),
    ...(route.status === 201 && !resumes(operation) ? ["Location"] : []),
    ...(route.waits !== undefined ? ["Preference-Applied"] : []),
  ];
  const response = (description: string, more: readonly string[] = []): OpenApiObject => ({
    description,
    headers: Object.fromEntries([...names, ...more].map((header) => [header, ref("headers", header)])),
    content: { "application/json": { schema } },
  });
  const resumed = response("The agent was already registered and is resumed.");
  const queued = response("Queued: `ticket` identifies the request.", ["Location"]);
  const unchanged = { description: "The version of If-None-Match is still current." };
  return {
    [String(route.status)]: response("Done."),
    ...defined({
      "200": resumes(operation) ? resumed : undefined,
      "202": queues(operation) ? queued : undefined,
      "304": isTaggedRead(operation) ? unchanged : undefined,
    }),
  };
}

const replayedSchema: OpenApiObject = {
  type: "object",
  required: ["replayed"],
  properties: { replayed: { type: "boolean" } },
};

/** Whether a success may be the resumption of what already exists. */
function resumes({ output }: RoutedOperation["operation"]): boolean {
  return "resumed" in membersOf(output);
}

function isTaggedRead({ kind, output }: RoutedOperation["operation"]): boolean {
  return kind === "read" && "revision" in membersOf(output);
}

/** Whether the operation may answer with a ticket, which is status 202. */
export function queues({ output }: RoutedOperation["operation"]): boolean {
  const { anyOf = [output] } = output as { readonly anyOf?: readonly object[] };
  return anyOf.some((answer) => "ticket" in membersOf(answer) && isNever(membersOf(answer)["granted"]));
}

function isNever(schema: object | undefined): boolean {
  return schema !== undefined && "const" in schema && schema.const === false;
}

/** Over HTTP the response of a write also says whether it is a replay, so its schema must allow that member. */
function withoutClosing(schema: object): OpenApiObject {
  const { additionalProperties: _closed, ...rest } = schema as { readonly additionalProperties?: unknown };
  if (!("anyOf" in rest) || !Array.isArray(rest.anyOf)) return rest;
  return { ...rest, anyOf: (rest.anyOf as readonly object[]).map(withoutClosing) };
}

function isRequired(schema: object, name: string): boolean {
  return "required" in schema && Array.isArray(schema.required) && schema.required.includes(name);
}
