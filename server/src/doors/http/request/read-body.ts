import type { FastifyRequest } from "fastify";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import { parseJson } from "@holdfast/sdk/json/parse-json";
import { HttpProblem } from "../response/http-problem.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The media type of a body without its parameters, or undefined if there is no body. */
export function mediaType(request: FastifyRequest): string | undefined {
  if (bytesOf(request) === undefined) return undefined;
  return (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
}

/** The length of the body, 0 without one. */
export function bodyBytes(request: FastifyRequest): number {
  return bytesOf(request)?.length ?? 0;
}

/** The body as a value, or undefined if there is no body. It is parsed and checked once, here. */
export function readBody(
  request: FastifyRequest,
  accepted: readonly string[],
  limits = inputLimits,
): Canonical | undefined {
  const text = readBodyText(request, accepted);
  if (text === undefined) return undefined;
  const parsed = parseJson(text, limits);
  if (!parsed.ok) throw new HttpProblem("input_malformed", { ...parsed.fault });
  return parsed.value;
}

/** The text of the body, or undefined if there is no body. Other media types and encodings are refused. */
export function readBodyText(request: FastifyRequest, accepted: readonly string[]): string | undefined {
  const bytes = bytesOf(request);
  if (bytes === undefined) return undefined;
  const type = mediaType(request) ?? "";
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/iu.exec(request.headers["content-type"] ?? "")?.[1] ?? "utf-8";
  const isPlain = /^(identity)?$/iu.test(request.headers["content-encoding"] ?? "");
  if (!accepted.includes(type) || !/^utf-?8$/iu.test(charset) || !isPlain) throw unsupported(type, accepted);
  return textOf(bytes);
}

function bytesOf({ body }: FastifyRequest): Buffer | undefined {
  return Buffer.isBuffer(body) && body.length > 0 ? body : undefined;
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new HttpProblem("input_malformed", { reason: "not_utf8", pointer: "" });
  }
}

function unsupported(type: string, accepted: readonly string[]): HttpProblem {
  return new HttpProblem("content_type_unsupported", { content_type: type.slice(0, 100), accepted });
}
