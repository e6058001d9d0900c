import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { defined } from "@holdfast/sdk/base/defined";
import { checkOf, commandRequest, commandsMax, problemOf } from "@holdfast/sdk/contract";
import type { CommandRequest } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import { callRefusal } from "@holdfast/sdk/call-refusal";
import type { DoorCallOptions } from "../../../operations/door-call-options.ts";
import { emptyInput } from "@holdfast/sdk/json/canonical";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import type { InputFault } from "@holdfast/sdk/json/input-fault";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import type { Json } from "@holdfast/sdk/json/json";
import { parseEnvelopes } from "@holdfast/sdk/json/parse-envelopes";
import { hangUpOf } from "../request/disconnect.ts";
import { callOnce } from "../../../operations/call.ts";
import type { Call, Calls } from "../../../operations/call.ts";
import { unknownOperation } from "../../../operations/unknown-operation.ts";
import type { DoorParts } from "../door-parts.ts";
import { HttpProblem } from "../response/http-problem.ts";
import { bodyBytes, readBodyText } from "../request/read-body.ts";
import { readKey } from "../request/read-key.ts";
import { sendJson, sendProblem } from "../response/send.ts";
import { setReplyHeaders } from "../response/send-reply.ts";
import { agentOf, readsOf, readTrace } from "../request/admit-caller.ts";

const check = checkOf(commandRequest);

/**
 * Any operation by name, one or several, with the whole reply as the body. Only the operation's own input is required.
 */
export function addCommandRoutes(app: FastifyInstance, parts: DoorParts): void {
  app.post("/v1/commands", async (request, reply) => {
    const { calls } = parts.callerOf(request);
    const options = { ...commandOptions(request), hangUp: hangUpOf(reply.raw) };
    const { value, faults } = readEnvelopes(request);
    if (Array.isArray(value))
      return sendJson(reply, 200, await callMany(parts, calls, { body: value, faults, options }));
    const command = readCommand(value, "");
    const fault = faults.get(0);
    if (fault !== undefined) throw new HttpProblem("input_malformed", { ...fault });
    const answer = await callOnce(calls, requestOf(parts, command, options));
    setReplyHeaders(request, reply, answer);
    return sendWhole(reply, answer);
  });
  app.get("/v1/cursor", async (request, reply) => {
    const { calls } = parts.callerOf(request);
    return sendJson(reply, 200, { cursor: await calls.cursor() });
  });
}

/** The options of a call by name. */
export function commandOptions(request: FastifyRequest): DoorCallOptions {
  const key = readKey(request.raw.headersDistinct["idempotency-key"]);
  const inputBytes = bodyBytes(request);
  return { ...agentOf(request), ...readTrace(request), ...readsOf(request), ...defined({ key }), inputBytes };
}

type Faults = ReadonlyMap<number, InputFault>;

/**
 * The commands and their inputs, parsed in one pass. A fault in an input refuses its command, with its pointer there.
 */
function readEnvelopes(request: FastifyRequest): { readonly value?: Json; readonly faults: Faults } {
  const text = readBodyText(request, ["application/json"]);
  if (text === undefined) return { faults: new Map() };
  const parsed = parseEnvelopes(text, inputLimits);
  if (!parsed.ok) throw new HttpProblem("input_malformed", { ...parsed.fault });
  return parsed;
}

interface ManyCommands {
  readonly body: readonly Json[];
  readonly faults: Faults;
  readonly options: DoorCallOptions;
}

/** Submits all commands at once, so that they share a batch. The replies keep their order. */
async function callMany(parts: DoorParts, calls: Calls, many: ManyCommands): Promise<readonly CallReply[]> {
  const { body, faults, options } = many;
  if (body.length > commandsMax)
    throw invalid([{ pointer: "", message: `must not have more than ${commandsMax} commands` }]);
  if (options.key !== undefined) {
    throw new HttpProblem("idempotency_key_invalid", { reason: "each of several commands needs its own key" });
  }
  const commands = body.map((command, index) => readCommand(command, `/${index}`));
  const perCommand = { ...options, inputBytes: options.inputBytes / commands.length };
  const submitted: Call[] = [];
  const replies = commands.map((command, index) => {
    const fault = faults.get(index);
    if (fault !== undefined) return Promise.resolve(callRefusal("input_malformed", { ...fault }));
    return new Promise<CallReply>((answer, fail) => {
      submitted.push({ ...requestOf(parts, command, perCommand), answer, fail });
    });
  });
  calls.submit(submitted);
  return Promise.all(replies);
}

function readCommand(body: unknown, prefix: string): CommandRequest {
  const issues = check(body);
  if (issues === undefined) return body as CommandRequest;
  throw invalid(issues.map(({ pointer, message }) => ({ pointer: `${prefix}${pointer}`, message })));
}

type CallRequest = Pick<Call, "record" | "input" | "options">;

function requestOf({ operations }: DoorParts, command: CommandRequest, options: DoorCallOptions): CallRequest {
  const { operation, input = emptyInput, key, deadline_ms: deadlineMs, agent, agent_secret: agentSecret } = command;
  const { retry, reads } = command;
  if (key !== undefined && options.key !== undefined && key !== options.key) {
    throw new HttpProblem("idempotency_key_invalid", { reason: "the header and the body have different keys" });
  }
  // An agent uses its own secret. The secret of another agent must not be tried with it.
  const { agent: _agent, agentSecret: _secret, ...rest } = options;
  return {
    record: operations.find(operation) ?? unknownOperation(operation),
    input: input as Canonical,
    options: {
      ...(agent === undefined ? options : { ...rest, ...defined({ agent, agentSecret }) }),
      ...defined({ key, deadlineMs, retry, reads }),
    },
  };
}

/** A refusal is a problem like any other. Its data is in the outcome. */
export function sendWhole(reply: FastifyReply, answer: CallReply): FastifyReply {
  const { outcome } = answer;
  if (outcome.kind === "done") return sendJson(reply, 200, answer);
  const { reason, issues, pointer, retry_after_ms, type } = outcome.data;
  const data = { reason, issues, pointer, retry_after_ms, type };
  return sendProblem(reply, { code: outcome.code, data, status: problemOf(outcome.code).status }, { ...answer });
}

function invalid(issues: readonly { pointer: string; message: string }[]): HttpProblem {
  return new HttpProblem("input_invalid", { issues });
}
