import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReplyStream } from "@holdfast/sdk";
import { httpLimits } from "../limits.ts";
import { readRange } from "../request/read-range.ts";
import { isNoneMatch } from "../request/read-tags.ts";
import { HttpProblem } from "./http-problem.ts";

/**
 * Sends the bytes of a stream: all of them, or one range. Nothing is opened for HEAD, 304 and 416. A slow reader stops
 * the sender, and a reader that disconnects ends the stream, so that nothing stays open.
 */
export function sendStream(request: FastifyRequest, reply: FastifyReply, stream: ReplyStream): FastifyReply {
  const { contentType, length, etag } = stream;
  const { headersDistinct, headers } = request.raw;
  const tag = etag === undefined ? undefined : `"${etag}"`;
  reply.header("accept-ranges", "bytes");
  if (tag !== undefined) {
    reply.header("etag", tag).header("cache-control", "private, no-cache, no-transform");
    if (!isNoneMatch(headersDistinct["if-none-match"], tag)) return reply.code(304).send();
  }
  const isSameVersion = headers["if-range"] === undefined || headers["if-range"] === tag;
  const range = isSameVersion ? readRange(headers.range, length) : undefined;
  if (range === "unsatisfiable") {
    reply.header("content-range", `bytes */${String(length)}`);
    throw new HttpProblem("range_not_satisfiable", { length });
  }
  const { start, end } = range ?? { start: 0, end: length };
  if (range !== undefined) {
    reply.code(206).header("content-range", `bytes ${String(start)}-${String(end - 1)}/${String(length)}`);
  }
  reply
    .header("content-type", contentType)
    // A page of this origin could read everything that its visitor may read, so no browser shows the bytes as a page.
    .header("content-disposition", "attachment")
    .header("content-length", String(end - start));
  // The framework removes the payload of a HEAD response, and keeps the length of a stream only.
  if (request.method === "HEAD") return reply.send(Readable.from([]));
  reply.raw.setTimeout(httpLimits.stalledMs, () => void reply.raw.destroy());
  return reply.send(Readable.from(stream.open(range), { objectMode: false }));
}
