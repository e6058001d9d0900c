/** One call of an authenticated caller: `run`, or `prepare`, the decision of the engine and `finish`. */
import { isIdempotencyKey } from "@holdfast/sdk/base/is-idempotency-key";
import { defined } from "@holdfast/sdk/base/defined";
import { traceContext } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { EngineRequest, Reply } from "../../engine/reply.ts";
import { keyScope } from "../../machine/entry.ts";
import type { Outcome, Refusal } from "../../machine/entry.ts";
import { refusal } from "../../machine/refusal.ts";
import { answerCall, failCall } from "../../operations/call.ts";
import type { Call } from "../../operations/call.ts";
import { resourceViewOf } from "../packs/resource-view.ts";
import type { AppOperation, CallContext, EvidenceSource, OperationRun, Prepare, Prepared } from "./app-operation.ts";
import { BoundedBody } from "./bounded-body.ts";
import { gatherEvidence } from "./gather-evidence.ts";
import { journalRefusal } from "./journal-refusal.ts";
import type { RunOutcome } from "./run-outcome.ts";
import { describesGrant, withPriorLocks } from "./lock-replies.ts";
import { renderReply } from "./render-reply.ts";
import { attachedReply, callReplyOf } from "./call-reply.ts";
import { unrecordedReply } from "./unrecorded-reply.ts";

export interface RunContext extends CallContext {
  /** True for doors, which only serialise replies. Other callers get copies, which they may change. */
  readonly sharesData: boolean;
}

type AppCall = Call<AppOperation>;

/** Answers a call, at once or when its entry is durable. */
export function runCall(context: RunContext, call: AppCall): void {
  const { record } = call;
  const refused = refusalOf(call);
  if (refused !== undefined) answerCall(call, unrecorded(context, call, refused));
  else if (record.run !== undefined) settle(context, call, readOutcome(context, record.run, call));
  else if (record.prepare === undefined || record.prepare.length === 0) sendCommand(context, call, call);
  else prepareCommand(context, record.prepare, call);
}

/** The refusal of a call that no hook and no rule needs to see. */
function refusalOf({ record, input, options }: AppCall): Refusal | undefined {
  if (record.kind === "internal") return refusal("operation_unknown", { operation: record.name });
  if (record.kind === "write" && options.key !== undefined && !isIdempotencyKey(options.key))
    return refusal("idempotency_key_invalid");
  if (isStreamed(record) && options.carriesStreams !== true)
    return refusal("operation_needs_http", { operation: record.name });
  if (record.sets.length === 0 || !isObject(input)) return undefined;
  const member = record.sets.find((name) => input[name] !== undefined);
  if (member === undefined) return undefined;
  const issue = { pointer: `/${member}`, message: "must be absent. Only the server sets it" };
  return refusal("input_invalid", { issues: [issue] });
}

async function readOutcome(context: RunContext, { at, run }: OperationRun, call: AppCall): Promise<RunOutcome> {
  const { record, input, options } = call;
  const issues = record.check(input);
  if (issues !== undefined) return refusal("input_invalid", { issues: issues.map((issue) => ({ ...issue })) });
  const body = record.body === undefined ? undefined : new BoundedBody(options.body, record.bodyBytesMax);
  try {
    if (at === "head" && options.reads !== "local") await catchUp(context);
    const isOperator = call.isOperator === true && context.speaker.agent === undefined;
    const running = { ...context, isOperator, ...defined({ rights: call.rights }) };
    if (!isStreamed(record)) return await run(input as never, running);
    return await run(input as never, { ...running, ...defined({ body }), signal: options.signal });
  } catch (error) {
    if (body?.isExceeded === true) return refusal("body_too_large", { limit_bytes: body.bytesMax });
    return journalRefusal(error);
  }
}

/** Whether the operation takes or returns bytes, which only HTTP and this process carry. */
function isStreamed({ body, answer }: AppOperation): boolean {
  return body !== undefined || answer !== undefined;
}

/** Folds everything that any node acknowledged before. Without other nodes there is nothing to wait for. */
async function catchUp({ services: { engine } }: CallContext): Promise<void> {
  if (engine.isShared) await engine.catchUp();
}

/**
 * Hooks never run on an invalid input. The machine refuses it, in the order in which it checks. Most calls need no hook,
 * so only the others are checked here too.
 */
function prepareCommand(context: RunContext, steps: readonly Prepare[], call: AppCall): void {
  const { input, record } = call;
  const needed = isObject(input) ? steps.filter(({ isNeeded }) => isNeeded(input)) : [];
  if (needed.length === 0 || record.check(input) !== undefined) {
    sendCommand(context, call, call);
    return;
  }
  runSteps(context, needed, call).then(
    (prepared) => {
      if ("kind" in prepared) answerCall(call, unrecorded(context, call, prepared));
      else sendCommand(context, call, prepared);
    },
    (error: unknown) => {
      settle(context, call, refusedByJournal(error));
    },
  );
}

async function runSteps(context: RunContext, steps: readonly Prepare[], call: AppCall): Promise<Prepared | Refusal> {
  const { record, options } = call;
  let prepared: Prepared = { input: call.input };
  for (const { at, run } of steps) {
    // The prepared input must not depend on how far this node has folded: the same request is the same command on every
    // node.
    if (at === "head") await catchUp(context);
    const input = prepared.input as JsonObject;
    const result = await run(input, { ...context, key: options.key, entityType: record.entityTypeOf?.(input) });
    if ("kind" in result) return result;
    prepared = { ...prepared, ...result };
  }
  return prepared;
}

async function refusedByJournal(error: unknown): Promise<Outcome> {
  return journalRefusal(error);
}

/** Sends the command. Its reply is rendered in the same turn, unless it needs data from history. */
function sendCommand(context: RunContext, call: AppCall, prepared: Prepared): void {
  const { input, memo } = prepared;
  const request = engineRequest(context, call, prepared);
  const decided = (reply: Reply): void => {
    try {
      const shown = finishedReply(context, call, { reply, input, memo });
      if (shown instanceof Promise) answerLater(call, shown);
      else answerCall(call, shown);
    } catch (error) {
      failCall(call, error);
    }
  };
  const source = call.record.evidence === undefined ? undefined : evidenceSource(call, input);
  if (source === undefined) context.services.engine.submit(request, decided);
  else
    sendWithEvidence(context, call, request, source).then(decided, (error: unknown) => {
      failCall(call, error);
    });
}

/** Undefined if the input needs no evidence. A source never sees an invalid input. */
function evidenceSource({ record, input: received }: AppCall, input: Json): EvidenceSource | undefined {
  const isFit = isObject(input) && record.check(received) === undefined;
  return isFit ? record.evidence?.(input) : undefined;
}

function sendWithEvidence(
  context: RunContext,
  call: AppCall,
  request: EngineRequest,
  source: EvidenceSource,
): Promise<Reply> {
  const { operation, input, deadlineMs } = request;
  return gatherEvidence({
    context,
    source,
    operation,
    input: input as JsonObject,
    deadlineMs,
    scope: keyScope(request),
    signal: call.options.signal ?? call.options.hangUp?.(),
    send: ({ bytes, ...found }) =>
      context.services.engine.execute({ ...request, ...found, bytes: request.bytes + bytes }),
  });
}

function engineRequest({ speaker }: RunContext, call: AppCall, { input, dropsKey }: Prepared): EngineRequest {
  const { principal, agent, caller } = speaker;
  const { record, options } = call;
  // Only these members: other options of a caller must not change its identity.
  const { deadlineMs, mustExpect, inputBytes: bytes } = options;
  const key = dropsKey === true ? undefined : options.key;
  const trace = options.trace === undefined ? undefined : traceContext(options.trace);
  return {
    operation: record.name,
    input,
    bytes,
    principal,
    agent,
    caller,
    key,
    deadlineMs,
    mustExpect,
    trace,
  };
}

interface Decided {
  readonly reply: Reply;
  readonly input: unknown;
  readonly memo: unknown;
}

function finishedReply(context: RunContext, call: AppCall, decided: Decided): CallReply | Promise<CallReply> {
  const { record, options } = call;
  const { reply } = decided;
  const { outcome, attachment } = reply;
  if (outcome.kind === "done" && attachment !== undefined && record.finish === undefined) {
    const shown = resourceViewOf(context, call, attachedReply(context, reply, attachment, options));
    if (!describesGrant(reply)) return shown;
    const described = withPriorLocks(context.services.engine, shown);
    return described instanceof Promise
      ? described.catch((error: unknown) => undescribed(context, reply, error))
      : described;
  }
  return explainedReply(context, call, decided).then((shown) => resourceViewOf(context, call, shown));
}

/** The reply to a command whose outcome needs data from history, or whose hook finishes it. */
async function explainedReply(context: RunContext, call: AppCall, decided: Decided): Promise<CallReply> {
  const { reply, input, memo } = decided;
  // The reply may come while this node still folds the entries after it. History is read when that is over.
  await Promise.resolve();
  try {
    const rendered = await renderReply(context.services, reply, input as JsonObject);
    if (call.record.finish === undefined) return callReplyOf(context, reply, rendered, call.options);
    const { agentSecret } = call.options;
    const finished = await call.record.finish(rendered, { ...context, memo, agentSecret, replayed: reply.replayed });
    // An effect that could not be carried out is not part of the recorded outcome.
    const isUnfinished = rendered.kind === "done" && finished.kind === "refusal";
    return isUnfinished
      ? unrecordedReply(context.services.engine, finished)
      : callReplyOf(context, reply, finished, call.options);
  } catch (error) {
    return undescribed(context, reply, error);
  }
}

/**
 * The reply to a recorded command whose history cannot be read. A partial reply would differ from the later reply to the
 * same key, so the caller must retry.
 */
function undescribed({ services }: RunContext, { position }: Reply, error: unknown): CallReply {
  const { code } = journalRefusal(error);
  return unrecordedReply(services.engine, refusal("outcome_unknown", { reason: code, position }));
}

function answerLater(call: AppCall, reply: Promise<CallReply>): void {
  reply.then(
    (known) => {
      answerCall(call, known);
    },
    (error: unknown) => {
      failCall(call, error);
    },
  );
}

function settle(context: RunContext, call: AppCall, outcome: Promise<RunOutcome>): void {
  answerLater(
    call,
    outcome.then(({ stream, ...known }) => ({ ...unrecorded(context, call, known), ...defined({ stream }) })),
  );
}

function unrecorded(context: RunContext, call: AppCall, outcome: Outcome): CallReply {
  return resourceViewOf(context, call, unrecordedReply(context.services.engine, outcome));
}
