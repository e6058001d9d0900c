import { defined } from "../../base/defined.ts";
import { canonicalValue } from "../../json/canonical-value.ts";
import { inputLimits } from "../../json/input-limits.ts";
import { readJson } from "../../json/read-json.ts";
import { callRefusal } from "../call-refusal.ts";
import type { HttpOptions } from "./http-options.ts";
import { operationData } from "../data/operation-data.ts";
import { commandReplyOf, failedReply } from "../command-reply.ts";
import type { CommandReply } from "../command-reply.ts";
import type { ByteRange, CallOptions, CallReply, ReplyStream } from "./transport.ts";

/** Sends a call with a binary body, or one that is answered with a stream. It is sent once, to one node. */
export async function httpStreamedCall(
  { nodes, token }: Pick<HttpOptions, "nodes" | "token">,
  operation: string,
  input: unknown,
  call: CallOptions,
): Promise<CallReply> {
  const parsed = canonicalValue(input, inputLimits);
  if (!parsed.ok) return callRefusal("input_malformed", { ...parsed.fault });
  const query = `input=${encodeURIComponent(JSON.stringify(parsed.value))}`;
  const url = new URL(`/v1/streams/${encodeURIComponent(operation)}?${query}`, nodes.current.url);
  const headers = headersOf(call, token);
  const { signal = null } = call;
  // GET changes nothing. An operation that the contract does not have may be a write.
  const method = operationData(operation)?.kind === "read" ? "GET" : "POST";
  const request = call.body === undefined ? { headers, signal, method } : { headers, signal, ...bodyOf(call.body) };
  try {
    const response = await fetch(url, request);
    const stream = streamOf(response, (range) => fetch(url, { signal, method, headers: { ...headers, range } }));
    if (stream === undefined) return commandReplyOf(readJson(await response.text()) as CommandReply);
    const position = Number(response.headers.get("holdfast-position"));
    return { outcome: { kind: "done", data: {} }, position, replayed: false, events: [], stream };
  } catch (error) {
    return failedReply(error, nodes);
  }
}

function headersOf(call: CallOptions, token: string | undefined): Record<string, string> {
  return defined({
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    "content-type": call.body === undefined ? undefined : "application/octet-stream",
    "idempotency-key": call.key,
    "x-agent-id": call.agent,
    "x-agent-secret": call.agentSecret,
    "holdfast-reads": call.reads,
    "holdfast-retry": call.retry,
    traceparent: call.trace,
  });
}

/** The chunks are pulled as the connection takes them. */
function bodyOf(chunks: AsyncIterable<Uint8Array>): RequestInit & { readonly duplex: "half" } {
  const iterator = chunks[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = (await iterator.next()) as IteratorResult<Uint8Array, undefined>;
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
  return { method: "POST", body: body, duplex: "half" };
}

/** The stream of a response. Undefined if the response is a reply in JSON. */
function streamOf(response: Response, again: (range: string) => Promise<Response>): ReplyStream | undefined {
  const contentType = response.headers.get("content-type") ?? "";
  if (!response.ok || response.headers.get("accept-ranges") === null) return undefined;
  const tag = response.headers.get("etag");
  return {
    contentType,
    length: Number(response.headers.get("content-length")),
    etag: tag === null ? undefined : tag.slice(1, -1),
    async *open(range?: ByteRange) {
      if (range === undefined) {
        yield* chunksOf(response);
        return;
      }
      await response.body?.cancel();
      yield* chunksOf(await again(`bytes=${String(range.start)}-${String(range.end - 1)}`));
    },
  };
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value as Uint8Array;
  } finally {
    await reader.cancel();
  }
}
