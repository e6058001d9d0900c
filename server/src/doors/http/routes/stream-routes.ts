import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { emptyInput } from "@holdfast/sdk/json/canonical";
import type { CanonicalObject } from "@holdfast/sdk/json/canonical";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import { isObject } from "@holdfast/sdk/json/json";
import { parseJson } from "@holdfast/sdk/json/parse-json";
import { unknownOperation } from "../../../operations/unknown-operation.ts";
import type { DoorParts } from "../door-parts.ts";
import { readQuery, typedValues } from "../request/read-query.ts";
import { HttpProblem } from "../response/http-problem.ts";
import { setReplyHeaders } from "../response/send-reply.ts";
import { sendStream } from "../response/send-stream.ts";
import { commandOptions, sendWhole } from "./command-routes.ts";
import { streamedCall } from "./streamed-call.ts";

const path = "/v1/streams/:operation";
const postOnly = { allow: ["POST"] };

/**
 * Operations with a binary body or a stream as their answer, by name. The input is JSON in the query, since the body is
 * taken. GET is for reads, so that ranges and conditions work as for any document. A link, a crawler or a prefetch sends GET,
 * and must change nothing.
 */
export function addStreamRoutes(app: FastifyInstance, parts: DoorParts): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { operation } = request.params as { readonly operation: string };
    const record = parts.operations.find(operation) ?? unknownOperation(operation);
    if (record.kind === "write" && request.method !== "POST") throw new HttpProblem("method_not_allowed", postOnly);
    const sent = { record, input: inputOf(request), options: commandOptions(request) };
    const answer = await streamedCall(parts, sent, request, reply);
    setReplyHeaders(request, reply, answer);
    return answer.stream === undefined ? sendWhole(reply, answer) : sendStream(request, reply, answer.stream);
  };
  parts.binaryRoutes.add(`POST ${path}`);
  app.post(path, handler);
  app.get(path, handler);
}

function inputOf(request: FastifyRequest): CanonicalObject {
  const { input: text } = typedValues(readQuery(request.url), { input: { type: "string" } });
  if (typeof text !== "string") return emptyInput;
  const parsed = parseJson(text, inputLimits);
  if (!parsed.ok) throw new HttpProblem("input_malformed", { ...parsed.fault });
  if (isObject(parsed.value)) return parsed.value;
  throw new HttpProblem("input_invalid", { issues: [{ pointer: "", message: "must be an object" }] });
}
