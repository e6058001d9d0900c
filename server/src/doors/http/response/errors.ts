import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply } from "fastify";
import { HoldfastError } from "@holdfast/sdk";
import { HttpProblem, problemDocument } from "./http-problem.ts";
import { httpLimits } from "../limits.ts";
import { plainHeaders, sendProblem } from "./send.ts";

/** Receives errors that should never happen: the cause of a response with status 500. */
export type Report = (message: string, cause: unknown) => void;

/** Turns an error of a route into a problem document. */
export function answerErrors(app: FastifyInstance, report: Report): void {
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, problemOfError(error, report)));
}

/** Errors before routing: an invalid URL. */
export function answerFrameworkError(error: unknown, reply: FastifyReply, report: Report): void {
  for (const [name, value] of Object.entries(plainHeaders)) reply.header(name, value);
  sendProblem(reply, problemOfError(error, report));
}

function problemOfError(error: unknown, report: Report): Pick<HttpProblem, "code" | "data" | "status"> {
  if (error instanceof HttpProblem) return error;
  if (error instanceof HoldfastError) return new HttpProblem(error.code, error.data);
  switch (codeOf(error)) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new HttpProblem("body_too_large", { limit_bytes: httpLimits.bodyBytesMax });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new HttpProblem("request_malformed", { reason: "the length of the body does not match Content-Length" });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new HttpProblem("content_type_unsupported", { accepted: ["application/json"] });
    case "FST_ERR_BAD_URL":
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new HttpProblem("request_malformed", { reason: "the URL is malformed" });
    case "ECONNRESET":
      return new HttpProblem("request_malformed", { reason: "the connection broke before the body was complete" });
    default:
      report("a request failed with an unexpected error", error);
      return new HttpProblem("internal_error");
  }
}

/** Errors of a connection before there is a request. The response is written by hand, and the connection ends. */
export function answerBrokenRequest(error: { readonly code?: unknown }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const problem = brokenRequest(error.code);
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(problemDocument(problem));
  const headers = {
    ...plainHeaders,
    connection: "close",
    "content-type": "application/problem+json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    `HTTP/1.1 ${problem.status} ${reasonPhrases[problem.status] ?? "Error"}\r\n${lines.join("\r\n")}\r\n\r\n${body}`,
  );
}

const reasonPhrases: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

function brokenRequest(code: unknown): HttpProblem {
  if (code === "HPE_HEADER_OVERFLOW") return new HttpProblem("headers_too_large");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new HttpProblem("request_timeout");
  return new HttpProblem("request_malformed", { reason: "the data is not HTTP" });
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
