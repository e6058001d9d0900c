import type { FastifyReply } from "fastify";
import type { HttpProblem } from "./http-problem.ts";
import { problemDocument, retryAfterSeconds } from "./http-problem.ts";

/** The headers of every response. Nothing of this server may be used by other sites, framed, sniffed or cached. */
export const plainHeaders = {
  "cache-control": "no-store, no-transform",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).header("content-type", "application/json; charset=utf-8").send(JSON.stringify(body));
}

/** `more` are members of the response in addition to the problem, such as its position. */
export function sendProblem(
  reply: FastifyReply,
  problem: Pick<HttpProblem, "code" | "data" | "status">,
  more: Readonly<Record<string, unknown>> = {},
): FastifyReply {
  const { data, status } = problem;
  const seconds = retryAfterSeconds(data);
  if (seconds !== undefined) reply.header("retry-after", String(seconds));
  if (status === 401) reply.header("www-authenticate", 'Bearer realm="holdfast"');
  if (Array.isArray(data["allow"])) reply.header("allow", data["allow"].join(", "));
  return reply
    .code(status)
    .header("content-type", "application/problem+json; charset=utf-8")
    .send(JSON.stringify({ ...more, ...problemDocument(problem) }));
}
