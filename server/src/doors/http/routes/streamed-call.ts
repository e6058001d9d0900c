import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallReply } from "@holdfast/sdk";
import type { CanonicalObject } from "@holdfast/sdk/json/canonical";
import { callOnce } from "../../../operations/call.ts";
import type { DoorCallOptions } from "../../../operations/door-call-options.ts";
import type { OperationRecord } from "../../../operations/operation-record.ts";
import type { DoorParts } from "../door-parts.ts";
import { binaryBody } from "../request/binary-body.ts";
import { hangUpOf } from "../request/disconnect.ts";

interface StreamedRequest {
  readonly record: OperationRecord;
  readonly input: CanonicalObject;
  readonly options: DoorCallOptions;
}

/** Calls an operation with a binary body or a stream as its answer. The gate checks rights before the body is read. */
export async function streamedCall(
  { callerOf, clock }: DoorParts,
  { record, input, options }: StreamedRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<CallReply> {
  const { calls } = callerOf(request);
  const body = record.body === "binary" ? { body: binaryBody(request, clock) } : {};
  const streamed = { ...options, ...body, signal: hangUpOf(reply.raw)(), carriesStreams: true as const };
  try {
    return await callOnce(calls, { record, input, options: streamed });
  } finally {
    // An operation that read only a part of the body leaves the rest unread, and the connection cannot be used again.
    if (record.body === "binary" && !request.raw.readableEnded) reply.header("connection", "close");
  }
}
