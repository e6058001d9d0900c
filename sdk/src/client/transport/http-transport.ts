import { defined } from "../../base/defined.ts";
import { pause } from "../../base/pause.ts";
import { HoldfastError } from "../holdfast-error.ts";
import { mayWorkElsewhere } from "./address-ring.ts";
import type { HttpOptions } from "./http-options.ts";
import { httpNotices, httpWatch } from "./http-watch.ts";
import { commandReplyOf, failedReply, reasonOf, wasNeverSent } from "../command-reply.ts";
import type { CommandReply } from "../command-reply.ts";
import { canonicalValue } from "../../json/canonical-value.ts";
import { inputLimits } from "../../json/input-limits.ts";
import { readJson } from "../../json/read-json.ts";
import type { CallOptions, CallReply, Transport } from "./transport.ts";
import { callRefusal } from "../call-refusal.ts";

/** Sends every call as a request of its own. For hosts without a WebSocket. The socket is many times faster. */
export function httpTransport(options: HttpOptions): Transport {
  const { nodes, token } = options;
  const closing = new AbortController();
  const contact: ServerContact = { hasAnswered: false };
  const headers = defined({ authorization: token === undefined ? undefined : `Bearer ${token}` });
  const get = async (path: string, more: Record<string, string>, signal: AbortSignal): Promise<Response> => {
    if (closing.signal.aborted) throw requestError("closed", {});
    const request = { headers: { ...headers, ...more }, signal };
    const response = await fetchFromAny(options, path, request).catch((error: unknown) => {
      throw requestError(closing.signal.aborted ? "closed" : "unreachable", nodes.failure(reasonOf(error)));
    });
    if (response.ok) return response;
    const { code = "internal_error", ...data } = readJson(await response.text()) as { readonly code?: string };
    if (mayWorkElsewhere(code)) nodes.advance();
    throw requestError(code, data);
  };
  return {
    async call(operation, input, call) {
      if (call.body !== undefined || call.acceptsStream === true) {
        const { httpStreamedCall } = await import("./http-streamed-call.ts");
        return httpStreamedCall(options, operation, input, call);
      }
      const parsed = canonicalValue(input, inputLimits);
      if (!parsed.ok) return callRefusal("input_malformed", { ...parsed.fault });
      const body = bodyOf(operation, JSON.stringify(parsed.value), call);
      const send = (): Promise<CallReply> =>
        closing.signal.aborted
          ? Promise.resolve(callRefusal("closed", {}))
          : post(options, { headers, signal: closing.signal }, body, call);
      return sendUntilReached(options, contact, call, send);
    },
    watch: (request) => httpWatch({ ...options, get, closing: closing.signal }, request),
    notices: (query) => httpNotices({ ...options, get, closing: closing.signal }, query),
    async cursor() {
      const { cursor } = readJson(await (await get("/v1/cursor", {}, closing.signal)).text()) as {
        readonly cursor: string;
      };
      return cursor;
    },
    async close() {
      closing.abort();
    },
  };
}

function bodyOf(operation: string, input: string, call: CallOptions): string {
  const { key, deadlineMs, agent, agentSecret, retry, reads } = call;
  const named = { agent, agent_secret: agentSecret };
  const head = JSON.stringify({ operation, key, deadline_ms: deadlineMs, ...named, retry, reads });
  return `${head.slice(0, -1)},"input":${input}}`;
}

interface ServerContact {
  /** A server has answered at this address before. */
  hasAnswered: boolean;
}

const retryDelayMs = 200;

/** Reconnects to a lost server, as the socket does. Only a request that did not arrive is repeated. */
async function sendUntilReached(
  { clock, reconnectMs }: HttpOptions,
  contact: ServerContact,
  call: CallOptions,
  send: () => Promise<CallReply>,
): Promise<CallReply> {
  const giveUpAtMs = clock.monotonicMs() + Math.min(reconnectMs, call.deadlineMs ?? Infinity);
  for (;;) {
    const reply = await send();
    const isGone = reply.outcome.kind === "refusal" && reply.outcome.code === "unreachable";
    if (!isGone) contact.hasAnswered = true;
    if (!isGone || !contact.hasAnswered || clock.monotonicMs() >= giveUpAtMs || call.signal?.aborted === true)
      return reply;
    await pause(clock, retryDelayMs * (0.5 + clock.random()));
  }
}

interface RequestBase {
  readonly headers: { readonly authorization?: string };
  readonly signal: AbortSignal;
}

async function post(options: HttpOptions, base: RequestBase, body: string, call: CallOptions): Promise<CallReply> {
  const headers = defined({ ...base.headers, traceparent: call.trace, "content-type": "application/json" });
  const signal = call.signal === undefined ? base.signal : AbortSignal.any([base.signal, call.signal]);
  try {
    const response = await fetchFromAny(options, "/v1/commands", { method: "POST", headers, body, signal });
    const reply = commandReplyOf(readJson(await response.text()) as CommandReply);
    if (reply.outcome.kind === "refusal" && mayWorkElsewhere(reply.outcome.code)) options.nodes.advance();
    return reply;
  } catch (error) {
    return failedReply(error, options.nodes);
  }
}

/**
 * Sends a request to the current node, then to each other node once while none answers. A request that may have
 * arrived is not sent twice.
 */
async function fetchFromAny({ nodes }: HttpOptions, path: string, request: RequestInit): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await fetch(new URL(path, nodes.current.url), request);
    } catch (error) {
      const isOver = request.signal?.aborted === true;
      if (!isOver) nodes.advance();
      if (isOver || tried >= nodes.size || !wasNeverSent(error)) throw error;
    }
  }
}

function requestError(code: string, data: Readonly<Record<string, unknown>>): HoldfastError {
  return new HoldfastError("request", code, { data });
}
