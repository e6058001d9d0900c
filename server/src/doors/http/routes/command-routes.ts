import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { checkOf, commandRequest, commandsMax, problemOf } from "@holdfast/sdk/contract";
import type { CommandRequest } from "@holdfast/sdk/contract";
import type { CallOptions, CallReply, Transport } from "@holdfast/sdk";
import type { DoorParts } from "../door-parts.ts";
import { HttpProblem } from "../response/http-problem.ts";
import { readBody } from "../request/read-body.ts";
import { readKey } from "../request/read-key.ts";
import { sendJson, sendProblem } from "../response/send.ts";
import { setReplyHeaders } from "../response/send-reply.ts";
import { agentOf, readsOf, traceOf } from "../request/visitor.ts";

const check = checkOf(commandRequest);

/** Any operation by name, one or many, with the whole reply as the body. Nothing is asked for that the operation does not ask for. */
export function addCommandRoutes(app: FastifyInstance, parts: DoorParts): void {
  app.post("/v1/commands", async (request, reply) => {
    const { transport } = parts.callerOf(request);
    const options = optionsOf(request);
    const body = readBody(request, parts.parseJson, ["application/json"]);
    if (Array.isArray(body)) return sendJson(reply, 200, await callMany(transport, body, options));
    const answer = await callOne(transport, readCommand(body, ""), options);
    setReplyHeaders(request, reply, answer);
    return sendWhole(reply, answer);
  });
  app.get("/v1/cursor", async (request, reply) => {
    const { transport } = parts.callerOf(request);
    return sendJson(reply, 200, { cursor: await transport.cursor() });
  });
}

function optionsOf(request: FastifyRequest): CallOptions {
  const key = readKey(request.raw.headersDistinct["idempotency-key"]);
  return { ...agentOf(request), ...traceOf(request), ...readsOf(request), ...(key === undefined ? {} : { key }) };
}

/** All are sent before the first is answered, so they share what they cost; the answers are in the order of the commands. */
async function callMany(
  transport: Transport,
  body: readonly unknown[],
  options: CallOptions,
): Promise<readonly CallReply[]> {
  if (body.length > commandsMax) throw invalid([{ pointer: "", message: `must not have more than ${commandsMax}` }]);
  if (options.key !== undefined) {
    throw new HttpProblem("idempotency_key_invalid", { reason: "each of several commands has a key of its own" });
  }
  const commands = body.map((one, index) => readCommand(one, `/${index}`));
  return Promise.all(commands.map((command) => callOne(transport, command, options)));
}

function readCommand(body: unknown, where: string): CommandRequest {
  const issues = check(body);
  if (issues === undefined) return body as CommandRequest;
  throw invalid(issues.map(({ pointer, message }) => ({ pointer: `${where}${pointer}`, message })));
}

function callOne(transport: Transport, command: CommandRequest, options: CallOptions): Promise<CallReply> {
  const { operation, input = {}, key, deadline_ms: deadlineMs, agent, agent_secret: agentSecret } = command;
  const { retry, reads } = command;
  if (key !== undefined && options.key !== undefined && key !== options.key) {
    throw new HttpProblem("idempotency_key_invalid", { reason: "the header and the body have different keys" });
  }
  // An agent brings its own secret: that of another must not be tried on it.
  const speaker = agent === undefined ? {} : { agent, ...(agentSecret === undefined ? {} : { agentSecret }) };
  const { agent: _agent, agentSecret: _secret, ...rest } = options;
  return transport.call(operation, input, {
    ...(agent === undefined ? options : rest),
    ...speaker,
    ...(key === undefined ? {} : { key }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(retry === undefined ? {} : { retry }),
    ...(reads === undefined ? {} : { reads }),
  });
}

/** A refusal is a problem like any other; what it is about stands in its outcome. */
function sendWhole(reply: FastifyReply, answer: CallReply): FastifyReply {
  const { outcome } = answer;
  if (outcome.kind === "done") return sendJson(reply, 200, answer);
  const { reason, issues, pointer, retry_after_ms } = outcome.data;
  const data = { reason, issues, pointer, retry_after_ms };
  return sendProblem(reply, { code: outcome.code, data, status: problemOf(outcome.code).status }, { ...answer });
}

function invalid(issues: readonly { pointer: string; message: string }[]): HttpProblem {
  return new HttpProblem("input_invalid", { issues });
}
