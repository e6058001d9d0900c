import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallReply } from "@holdfast/sdk";
import { packOfOperation, problemOf } from "@holdfast/sdk/contract";
import type { RoutedOperation } from "@holdfast/sdk/contract";
import { isNoneMatch } from "../request/read-tags.ts";
import { sendJson, sendProblem } from "./send.ts";

type ReplyFields = Readonly<Record<string, unknown>>;

/** The reply of an operation as a response: status, headers and representation. */
export function sendReply(
  request: FastifyRequest,
  reply: FastifyReply,
  routed: RoutedOperation,
  answer: CallReply,
): FastifyReply {
  const { operation } = routed;
  setReplyHeaders(request, reply, answer);
  const { outcome, position, replayed } = answer;
  if (outcome.kind === "refusal") return sendRefusal(reply, outcome, { position, replayed });
  const data = outcome.data as ReplyFields;
  const tag = tagOf(operation.name, data["revision"]);
  if (tag !== undefined) reply.header("etag", tag);
  if (operation.kind === "read") {
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
  const tag = tagOf("", data["current_revision"]);
  if (tag !== undefined) reply.header("etag", tag);
  // A conflict is in the history, where its position identifies it.
  const isRecorded = code.endsWith("concurrency_mismatch");
  const instance = isRecorded ? { instance: `urn:holdfast:entry:${more.position}` } : {};
  return sendProblem(reply, { code, data, status: problemOf(code).status }, { ...more, ...instance });
}

/** A deleted entity has no representation, so it has no tag. */
function tagOf(operation: string, revision: unknown): string | undefined {
  return typeof revision === "string" && !operation.startsWith("delete-") ? `"${revision}"` : undefined;
}

function statusOf({ operation, route }: RoutedOperation, data: ReplyFields): number {
  if (data["granted"] === false) return 202;
  return operation.name === "register-agent" && data["resumed"] === true ? 200 : route.status;
}

function locationOf({ operation, route }: RoutedOperation, data: ReplyFields): string | undefined {
  const { ticket, granted, type, id } = data;
  if (granted === false) return `/v1/tickets/${String(ticket)}`;
  if (packOfOperation(operation.name) !== undefined && route.status === 201) {
    return `${route.path}/${encodeURIComponent(String(id))}`;
  }
  if (operation.name !== "create-entity") return undefined;
  return `/v1/entities/${encodeURIComponent(String(type))}/${encodeURIComponent(String(id))}`;
}
