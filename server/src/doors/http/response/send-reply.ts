import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallReply } from "@holdfast/sdk";
import { problemOf } from "@holdfast/sdk/contract";
import { isNoneMatch } from "../request/read-tags.ts";
import type { RoutedRecord } from "../routed-record.ts";
import { sendJson, sendProblem } from "./send.ts";

type ReplyFields = Readonly<Record<string, unknown>>;

/** The reply of an operation as a response: status, headers and representation. */
export function sendReply(
  request: FastifyRequest,
  reply: FastifyReply,
  routed: RoutedRecord,
  answer: CallReply,
): FastifyReply {
  const { record, route } = routed;
  setReplyHeaders(request, reply, answer);
  const { outcome, position, replayed } = answer;
  if (outcome.kind === "refusal") return sendRefusal(reply, outcome, { position, replayed });
  const data = outcome.data as ReplyFields;
  // A deleted entity has no representation, so it has no tag.
  const tag = route.method === "DELETE" ? undefined : tagOf(data["revision"]);
  if (tag !== undefined) reply.header("etag", tag);
  if (record.kind === "read") {
    if (tag === undefined) return sendJson(reply, 200, data);
    // A cache may store it if it revalidates each time.
    reply.header("cache-control", "private, no-cache, no-transform");
    const isKnown = !isNoneMatch(request.raw.headersDistinct["if-none-match"], tag);
    return isKnown ? reply.code(304).send() : sendJson(reply, 200, data);
  }
  const location = locationOf(routed, data);
  if (location !== undefined) reply.header("location", location);
  return sendJson(reply, statusOf(routed, data), { ...data, replayed });
}

/** The headers of every reply of the engine. */
export function setReplyHeaders(request: FastifyRequest, reply: FastifyReply, answer: CallReply): void {
  reply.header("holdfast-position", String(answer.position));
  if (request.headers["idempotency-key"] !== undefined) reply.header("idempotent-replayed", String(answer.replayed));
}

type Refusal = Extract<CallReply["outcome"], { kind: "refusal" }>;

function sendRefusal(reply: FastifyReply, { code, data }: Refusal, more: { position: number; replayed: boolean }) {
  const tag = tagOf(data["current_revision"]);
  if (tag !== undefined) reply.header("etag", tag);
  // A conflict is in the history, where its position identifies it.
  const isRecorded = code.endsWith("concurrency_mismatch");
  const instance = isRecorded ? { instance: `urn:holdfast:entry:${more.position}` } : {};
  return sendProblem(reply, { code, data, status: problemOf(code).status }, { ...more, ...instance });
}

function tagOf(revision: unknown): string | undefined {
  return typeof revision === "string" ? `"${revision}"` : undefined;
}

/** A queued lock was accepted, not granted. A resumed agent was not created. */
function statusOf({ route }: RoutedRecord, data: ReplyFields): number {
  if (data["granted"] === false) return 202;
  return data["resumed"] === true ? 200 : route.status;
}

function locationOf({ record, route }: RoutedRecord, data: ReplyFields): string | undefined {
  const { ticket, granted, type, id } = data;
  if (granted === false) return `/v1/tickets/${String(ticket)}`;
  if (route.status !== 201 || record.entityTypeOf === undefined) return undefined;
  if (record.resource !== undefined) {
    return `${route.path}/${encodeURIComponent(String(id))}`;
  }
  return `/v1/entities/${encodeURIComponent(String(type))}/${encodeURIComponent(String(id))}`;
}
