/** The OpenAPI 3.1 document of the door, made from the contract. */
import { defined } from "@holdfast/sdk/base/defined";
import { allOperations, callReply, commandRequest, programLockRoutes, routedOperations } from "@holdfast/sdk/contract";
import { commandsMax, membersOf, notice, noticeQuery, watchQuery } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import { bytes, openApiOperation, queues, tagOf, streamResponses } from "./openapi-operation.ts";
import {
  headers,
  openApiParts,
  problemCodes,
  problemExamples,
  problemResponses,
  problemSchema,
} from "./openapi-parts.ts";
import type { OpenApiObject } from "./openapi-parts.ts";

const ref = (section: string, name: string): OpenApiObject => ({ $ref: `#/components/${section}/${name}` });
const agentHeaders = [ref("parameters", "AgentId"), ref("parameters", "AgentSecret")];

export function openApiDocument(version: string): OpenApiObject {
  const paths: Record<string, Record<string, OpenApiObject>> = {};
  const add = (method: string, path: string, described: OpenApiObject): void => {
    const methods = (paths[path] ??= {});
    const name = method.toLowerCase();
    methods[name] = methods[name] === undefined ? described : mergedOperations(methods[name], described);
  };
  const counts = new Map<string, number>();
  for (const routed of routedOperations) {
    const { name } = routed.operation;
    const index = counts.get(name) ?? 0;
    counts.set(name, index + 1);
    add(routed.route.method, routed.route.path, openApiOperation(routed, index));
  }
  for (const route of programLockRoutes) add(route.method, route.path, programOperation(route));
  add("POST", "/v1/commands", commands());
  add("POST", "/v1/streams/{operation}", streams({ hasBody: true }));
  add("GET", "/v1/streams/{operation}", streams({ hasBody: false }));
  add("GET", "/v1/cursor", {
    operationId: "cursor",
    ...plain("The position of the journal's head.", "events", cursorSchema),
  });
  add("GET", "/v1/events", events());
  add("GET", "/v1/notices", notices());
  add("GET", "/health", health());
  return {
    openapi: "3.1.0",
    info: {
      title: "Holdfast",
      version,
      description: "Coordinates many agents that change the same state, without lost updates.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{}, { token: [] }],
    tags: [...new Set(Object.keys(paths).map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Problem: problemSchema, CommandRequest: commandRequest, CallReply: callReply },
      parameters: openApiParts,
      examples: problemExamples,
      headers,
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

/** Two operations share this route and method. A header selects one, and either may be refused. */
function mergedOperations(first: OpenApiObject, second: OpenApiObject): OpenApiObject {
  const both = (name: string): readonly unknown[] => {
    const all = [first, second].flatMap((operation) => (operation[name] ?? []) as readonly unknown[]);
    return [...new Map(all.map((item) => [JSON.stringify(item), item])).values()];
  };
  return {
    ...second,
    summary: `${String(second["summary"])} With \`If-None-Match: *\`: ${String(first["summary"])}`,
    parameters: both("parameters"),
    responses: { ...(first["responses"] as OpenApiObject), ...(second["responses"] as OpenApiObject) },
  };
}

const cursorSchema = { type: "object", required: ["cursor"], properties: { cursor: { type: "string" } } };

function plain(summary: string, tag: string, schema: OpenApiObject): OpenApiObject {
  return {
    summary,
    tags: [tag],
    parameters: [],
    responses: { "200": { description: "Done.", content: { "application/json": { schema } } }, ...anyProblem([]) },
  };
}

function commands(): OpenApiObject {
  const request = ref("schemas", "CommandRequest");
  const reply = ref("schemas", "CallReply");
  const example = { operation: "get-entity", input: { type: "plan", id: "42" } };
  const many = { type: "array", maxItems: commandsMax };
  return {
    operationId: "commands",
    summary:
      "Runs any operation by name, or several. The response is the whole reply. Only the operation's own input is required.",
    tags: ["commands"],
    parameters: [...agentHeaders, ref("parameters", "TraceParent"), ref("parameters", "IdempotencyKey")],
    requestBody: {
      required: true,
      content: { "application/json": { schema: { anyOf: [request, { ...many, items: request }] }, example } },
    },
    responses: {
      "200": {
        description: "The reply; for several commands the replies in order, refusals included.",
        content: { "application/json": { schema: { anyOf: [reply, { ...many, items: reply }] } } },
      },
      ...anyProblem(Object.values<Operation>(allOperations).flatMap(({ problems }) => problems)),
    },
  };
}

function streams({ hasBody }: { readonly hasBody: boolean }): OpenApiObject {
  const text = { type: "string" };
  return {
    operationId: hasBody ? "streams" : "read-stream",
    summary: hasBody
      ? "Runs an operation that takes bytes, by name. The body is the bytes. The response is the whole reply, or bytes."
      : "Runs an operation that answers with bytes, by name. `Range`, `If-Range` and `If-None-Match` select bytes.",
    tags: ["commands"],
    parameters: [
      { name: "operation", in: "path", required: true, schema: text },
      {
        name: "input",
        in: "query",
        required: false,
        description: "The input of the operation, as JSON.",
        schema: text,
      },
      ...[...agentHeaders, ref("parameters", "TraceParent"), ref("parameters", "IdempotencyKey")],
    ],
    ...defined({ requestBody: hasBody ? { required: false, content: bytes } : undefined }),
    responses: { ...streamResponses(), ...anyProblem(["operation_needs_http"]) },
  };
}

function anyProblem(codes: Operation["problems"]): OpenApiObject {
  const shared = { kind: "write", problems: codes } as const;
  return problemResponses([...problemCodes(shared, { hasBody: true }), "operation_unknown"]);
}

function events(): OpenApiObject {
  const filters = Object.entries(membersOf(watchQuery)).map(([name, schema]) => ({ name, in: "query", schema }));
  return {
    operationId: "events",
    summary:
      "Streams every event as it becomes durable, as server-sent events. `id` is the cursor, `data` the event as JSON.",
    tags: ["events"],
    parameters: [...filters, ref("parameters", "LastEventId"), ...agentHeaders],
    responses: {
      "200": { description: "Events, until either side closes the stream.", content: { "text/event-stream": {} } },
      ...problemResponses(["cursor_invalid", "cursor_lost", "input_invalid", "token_invalid", "stopping"]),
    },
  };
}

function notices(): OpenApiObject {
  return {
    operationId: "notices",
    summary:
      "Streams the notices of an owner as server-sent events: its place in a queue, expiring leases, and the notices of packs.",
    tags: ["events"],
    parameters: [
      ...Object.entries(membersOf(noticeQuery)).map(([name, schema]) => ({
        name,
        in: "query",
        required: true,
        schema,
      })),
      ...agentHeaders,
    ],
    responses: {
      "200": {
        description:
          "Notices, until either side closes the stream. `event` is the word of the notice, `data` the notice as JSON.",
        content: { "text/event-stream": { schema: { type: "string", contentSchema: notice } } },
      },
      ...problemResponses(["input_invalid", "token_invalid", "rate_limited", "stopping"]),
    },
  };
}

function health(): OpenApiObject {
  const whole = { type: "integer" };
  const lag = { type: "object", properties: { entries: whole, age_ms: whole } };
  const properties = {
    live: { type: "boolean" },
    ready: { type: "boolean" },
    reasons: { type: "array", items: { type: "string" } },
    node: { type: "string" },
    version: { type: "string" },
    journal: { enum: ["sqlite", "postgres"] },
    nodes: whole,
    position: whole,
    lag: { ...lag, required: Object.keys(lag.properties) },
    epoch: { type: ["integer", "null"] },
    rules: { type: ["integer", "null"] },
    jobs: { type: ["object", "null"] },
  };
  const schema = { type: "object", required: Object.keys(properties), properties };
  const content = { "application/json": { schema } };
  return {
    operationId: "health",
    summary: "Liveness and readiness of the server, with the reasons if it is not ready.",
    tags: ["server"],
    security: [],
    responses: { "200": { description: "Ready.", content }, "503": { description: "Not ready.", content } },
  };
}

function programOperation({ method, path, operation, body }: (typeof programLockRoutes)[number]): OpenApiObject {
  const routed = allOperations[operation] as Operation;
  const action = path.split("/").at(-1) ?? "";
  const program = { name: "program_id", in: "path", required: true, schema: { type: "string" }, example: "p1" };
  const isWrite = routed.kind === "write";
  const example = action === "batch" ? { locks: [{ function_id: "f1" }] } : { function_id: "f1" };
  const content = { "application/json": { schema: body, example } };
  const requestBody = body === undefined ? undefined : { required: true, content };
  const queued = queues(routed) ? { description: "Queued: `ticket` and `queue_position`." } : undefined;
  return {
    operationId: method === "GET" ? "program-locks" : `program-locks-${action}`,
    summary: `For functions of a program: ${routed.summary}`,
    tags: ["programs"],
    parameters: [program, ...agentHeaders, ...(isWrite ? [ref("parameters", "IdempotencyKey")] : [])],
    ...defined({ requestBody }),
    responses: {
      "200": { description: "Done.", content: { "application/json": { schema: { type: "object" } } } },
      ...defined({ "202": queued }),
      ...problemResponses(problemCodes(routed, { hasBody: body !== undefined })),
    },
  };
}
