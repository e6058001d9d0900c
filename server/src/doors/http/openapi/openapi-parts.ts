/** The parts that many operations share in the OpenAPI document. */
import { problemOf, problems } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import { problemType } from "../response/http-problem.ts";

export type OpenApiObject = Readonly<Record<string, unknown>>;

const text = { type: "string" } as const;
const header = (name: string, description: string, schema: OpenApiObject = text): OpenApiObject => ({
  name,
  in: "header",
  description,
  schema,
});

export const openApiParts = {
  AgentId: header("X-Agent-Id", "The calling agent."),
  AgentSecret: header("X-Agent-Secret", "The secret that its registration returned."),
  TraceParent: header("traceparent", "The caller's span in a trace (W3C). The entry stores it."),
  IdempotencyKey: header(
    "Idempotency-Key",
    "Makes a write safe to retry: the same request with the same key runs once and gets the same reply. Bare or " +
      "quoted, 1 to 255 printable ASCII characters without quote and backslash, for example a UUID.",
    { ...text, minLength: 1, maxLength: 257 },
  ),
  ContentDigest: header(
    "Content-Digest",
    "The digest of the body as `sha-256=:BASE64:` (RFC 9530). It is the same as `sha256` in hex digits.",
  ),
  IfMatch: header(
    "If-Match",
    "The ETag of the version that you read, one strong tag. `if_match` in the body of application/json does the same.",
  ),
  IfNoneMatch: header("If-None-Match", "The ETag that you have. If it is still current, the response is 304."),
  CreateOnly: header("If-None-Match", "`*` creates the entity if it does not exist."),
  Prefer: header(
    "Prefer",
    "`wait=n` delays the response until the lock is granted or a job starts, by n seconds at most (maximum 60).",
  ),
  LastEventId: header("Last-Event-ID", "The id of the last received event. The stream continues after it."),
} as const;

export type ParameterName = keyof typeof openApiParts;

const named = (description: string, schema: OpenApiObject = text): OpenApiObject => ({ description, schema });

export const headers = {
  ETag: named("The quoted revision, for If-Match and If-None-Match."),
  Location: named("The URL of the new entity or of the ticket."),
  "Retry-After": named("Seconds to wait before a retry.", { type: "integer" }),
  Allow: named("The methods of this route."),
  "Holdfast-Position": named("The position in the journal of the reply.", { type: "integer" }),
  "Idempotent-Replayed": named("`true` if this is the recorded reply of an earlier use of the key."),
  "Preference-Applied": named("The preference that was honoured."),
} as const;

export const problemSchema: OpenApiObject = {
  type: "object",
  description: "A problem document (RFC 9457). Programs compare `code` or `type`; the other members are for people.",
  required: ["type", "title", "status", "code", "detail", "next", "retry"],
  properties: {
    type: { ...text, format: "uri", description: "The problem, as a URI: `urn:holdfast:problem:` and the code." },
    title: text,
    status: { type: "integer", minimum: 400, maximum: 599 },
    code: text,
    detail: text,
    instance: { ...text, description: "Position of the entry that recorded it." },
    next: { ...text, description: "The next step." },
    retry: {
      enum: ["never", "new-key-after-read", "same-key", "later"],
      description: "The retry rule for programs.",
    },
    retry_after_ms: { type: "integer" },
    position: { type: "integer" },
    replayed: { type: "boolean" },
  },
};

/** The refusals that any request may get. */
const always = ["request_malformed", "token_invalid", "foreign_request", "overloaded", "stopping", "rate_limited"];
const always500 = ["internal_error"];
const withInput = ["input_invalid", "input_malformed"];
const withBody = ["body_too_large", "content_type_unsupported"];
const withWrite = [
  "idempotency_key_invalid",
  "idempotency_replay_conflict",
  "idempotency_key_expired",
  "space_full",
  "journal_unavailable",
  "deadline_passed",
  "outcome_unknown",
];
const withAgent = ["agent_unknown", "agent_secret_required", "not_allowed"];

export function problemCodes(
  operation: Pick<Operation, "kind" | "problems">,
  options: { readonly tagCodes?: readonly string[]; readonly hasBody: boolean },
) {
  return [
    ...new Set([
      ...operation.problems,
      ...withInput,
      ...withAgent,
      ...(operation.kind === "write" ? withWrite : []),
      ...(options.hasBody ? withBody : []),
      ...(options.tagCodes ?? []),
      ...always,
      ...always500,
    ]),
  ];
}

/** One response per status, with its codes. A weak tag is the only code with two statuses. */
export function problemResponses(codes: readonly string[]): OpenApiObject {
  const byStatus = Map.groupBy(codes, (code) => problemOf(code).status);
  return Object.fromEntries(
    [...byStatus].toSorted(([a], [b]) => a - b).map(([status, list]) => [String(status), problemResponse(list)]),
  );
}

export function problemResponse(codes: readonly string[]): OpenApiObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${problemOf(code).title}.`).join(" "),
    headers: { "Retry-After": { $ref: "#/components/headers/Retry-After" } },
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** Every problem of the registry, as a document. */
export const problemExamples: OpenApiObject = Object.fromEntries(
  Object.entries(problems).map(([code, { title, status, next, retry }]) => [
    code,
    { value: { type: problemType(code), title, status, code, detail: `${title}.`, next, retry } },
  ]),
);
