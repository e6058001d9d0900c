import type { FastifyReply } from "fastify";
import type { HttpProblem } from "./http-problem.ts";
import { problemDocument, retryAfterSeconds } from "./http-problem.ts";

/** Sent with every answer. Nothing of this server is for other sites, and nothing is to be framed, guessed or kept. */
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

/** `more` is what an answer has besides the problem, such as its position. */
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
