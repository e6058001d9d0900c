import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../response/http-problem.ts";

/** The parser of the machine, which refuses what JSON text can say and a canonical value can not hold. */
export type ParseJson = (
  text: string,
) => { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: object };

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The media type of a body, without parameters; undefined if there is no body. */
export function mediaType(request: FastifyRequest): string | undefined {
  if (bytesOf(request) === undefined) return undefined;
  return (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
}

/** The body as a value; undefined if there is none. It is parsed once, by the one parser of the project. */
export function readBody(request: FastifyRequest, parseJson: ParseJson, accepted: readonly string[]): unknown {
  const bytes = bytesOf(request);
  if (bytes === undefined) return undefined;
  const type = mediaType(request) ?? "";
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/iu.exec(request.headers["content-type"] ?? "")?.[1] ?? "utf-8";
  const isPlain = /^(identity)?$/iu.test(request.headers["content-encoding"] ?? "");
  if (!accepted.includes(type) || !/^utf-?8$/iu.test(charset) || !isPlain) throw unsupported(type, accepted);
  const parsed = parseJson(textOf(bytes));
  if (!parsed.ok) throw new HttpProblem("input_malformed", { ...parsed.fault });
  return parsed.value;
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
