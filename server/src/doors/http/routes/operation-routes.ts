import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { defined } from "@holdfast/sdk/base/defined";
import type { CallReply } from "@holdfast/sdk";
import type { DoorCallOptions } from "../../../operations/door-call-options.ts";
import { codeOfPack, readsIfMatch } from "@holdfast/sdk/contract";
import type { CanonicalObject } from "@holdfast/sdk/json/canonical";
import { conditionalWrite } from "./conditional-write.ts";
import { callOnce } from "../../../operations/call.ts";
import type { Calls } from "../../../operations/call.ts";
import type { DoorParts } from "../door-parts.ts";
import { routedRecords } from "../routed-record.ts";
import type { RoutedRecord } from "../routed-record.ts";
import { HttpProblem } from "../response/http-problem.ts";
import { bodyBytes } from "../request/read-body.ts";
import { readInput } from "../request/read-input.ts";
import { hangUpOf } from "../request/disconnect.ts";
import { readKey } from "../request/read-key.ts";
import { agreed, asksToCreate, readBodyTag, readIfMatch } from "../request/read-tags.ts";
import type { Expected } from "../request/read-tags.ts";
import { sendReply, setReplyHeaders } from "../response/send-reply.ts";
import { sendStream } from "../response/send-stream.ts";
import { streamedCall } from "./streamed-call.ts";
import { agentOf, readsOf, readTrace } from "../request/admit-caller.ts";
import { preferredWait, waitForGrant } from "./wait-for-grant.ts";
import { waitForJobs } from "./wait-for-jobs.ts";

/** A route for every operation of the contract. Two operations may share a route. A header selects one of them. */
export function addOperationRoutes(app: FastifyInstance, parts: DoorParts): void {
  const byRoute = Map.groupBy(routedRecords(parts.operations), ({ route }) => `${route.method} ${route.path}`);
  for (const [{ method, path }, group] of [...byRoute.values()].map((list) => [routeOf(list), list] as const)) {
    const url = path.replaceAll(/\{([a-z_]+)\}/gu, ":$1");
    if (group.some(({ record }) => record.body === "binary")) parts.binaryRoutes.add(`${method} ${url}`);
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const routed = selectOperation(group, request);
        return answer(parts, routed, request, reply).catch((error: unknown) => {
          throw withPackPrefix(routed, error);
        });
      },
    });
  }
}

/** A refusal of this door has the prefix of the pack, as a refusal of the machine has. */
function withPackPrefix({ record: { pack } }: RoutedRecord, error: unknown): unknown {
  if (pack === undefined || !(error instanceof HttpProblem)) return error;
  return new HttpProblem(codeOfPack(pack.name, error.code), error.data, error.status);
}

function routeOf(group: readonly RoutedRecord[]): RoutedRecord["route"] {
  const [first] = group;
  if (first === undefined) throw new Error("unreachable: a path without a route");
  return first.route;
}

function selectOperation(group: readonly RoutedRecord[], request: FastifyRequest): RoutedRecord {
  const [first, ...others] = group;
  if (first === undefined) throw new Error("unreachable: a path without a route");
  if (others.length === 0) return first;
  const precondition = asksToCreate(request.raw.headersDistinct["if-none-match"]) ? "if-none-match" : "if-match";
  return group.find(({ route }) => route.needs === precondition) ?? first;
}

/** Headers first, then the body, then the call: the order of refusals is part of the contract. */
async function answer(
  parts: DoorParts,
  routed: RoutedRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const options = { ...optionsOf(routed, request), hangUp: hangUpOf(reply.raw) };
  if (routed.record.body !== undefined || routed.record.answer !== undefined) {
    const sent = { record: routed.record, input: readInput(routed, request).input, options };
    const streamed = await streamedCall(parts, sent, request, reply);
    if (streamed.stream === undefined) return sendReply(request, reply, routed, streamed);
    setReplyHeaders(request, reply, streamed);
    return sendStream(request, reply, streamed.stream);
  }
  const tag = headerTag(routed, request);
  const { input, bodyTag } = readInput(routed, request);
  const expected = agreed(tag, readBodyTag(bodyTag));
  return sendReply(
    request,
    reply,
    routed,
    await callOrWait(parts, routed, { input, expected, options }, request, reply),
  );
}

/** The call itself. If the request prefers to wait for a lock or a job, its response is delayed. */
export async function callOrWait(
  parts: DoorParts,
  routed: RoutedRecord,
  call: OperationRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<CallReply> {
  const { calls } = parts.callerOf(request);
  const { record, route } = routed;
  const { input, options } = call;
  const seconds = route.waits === undefined ? undefined : preferredWait(request);
  if (seconds === undefined || input["wait"] === false) return callRouted(calls, routed, call);
  reply.header("preference-applied", `wait=${seconds}`);
  const { raw: response } = reply;
  const poll = { ...parts, calls, record, input, options, seconds, response };
  return route.waits === "jobs" ? waitForJobs(poll) : waitForGrant(poll);
}

interface OperationRequest {
  readonly input: CanonicalObject;
  readonly expected: Expected;
  readonly options: DoorCallOptions;
}

function callRouted(calls: Calls, { record, route }: RoutedRecord, request: OperationRequest): Promise<CallReply> {
  if ((route.needs ?? route.takes) !== undefined) return conditionalWrite(calls, { record, route, ...request });
  const { input, options } = request;
  return callOnce(calls, { record, input, options });
}

export function optionsOf({ record, route }: RoutedRecord, request: FastifyRequest): DoorCallOptions {
  const key = record.kind === "write" ? readKey(request.raw.headersDistinct["idempotency-key"]) : undefined;
  const inputBytes = bodyBytes(request);
  const options = { ...agentOf(request), ...readTrace(request), ...readsOf(request), ...defined({ key }), inputBytes };
  if (route.speaker === undefined) return options;
  const agent = (request.params as Readonly<Record<string, string>>)[route.speaker] ?? "";
  if (options.agent === undefined || options.agent === agent) return { ...options, agent };
  throw new HttpProblem("not_allowed", { reason: "X-Agent-Id does not match the agent id in the URL" });
}

function headerTag({ route }: RoutedRecord, request: FastifyRequest): Expected {
  const header = request.raw.headersDistinct["if-match"];
  if (readsIfMatch(route)) return readIfMatch(header);
  if (header === undefined || route.method === "GET") return { kind: "nothing" };
  throw new HttpProblem("concurrency_etag_invalid", { reason: "If-Match is not supported here" });
}
