import { isIdempotencyKey } from "@holdfast/sdk/base/is-idempotency-key";
import { packOfOperation, publishedName, recordedAs, traceContext } from "@holdfast/sdk/contract";
import type { CallOptions, CallReply } from "@holdfast/sdk";
import type { DoorCallOptions } from "@holdfast/sdk/door-transport";
import type { Engine } from "../../engine/engine.ts";
import type { EngineServices } from "../engine-services.ts";
import type { Reply } from "../../engine/reply.ts";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import type { Event, Outcome } from "../../machine/entry.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/refusal.ts";
import { finishErasePayload } from "./hooks/erase-payload.ts";
import { copyJson } from "./copy-json.ts";
import { publishedData } from "../watch/entry-events.ts";
import { journalRefusal } from "./journal-refusal.ts";
import { describesGrant, withPriorLocks } from "./lock-replies.ts";
import { resourceViewOf } from "../packs/resource-view.ts";
import { needsPreparing, prepareIfUnchanged } from "./hooks/if-unchanged.ts";
import type { PreparedRequest } from "./hooks/if-unchanged.ts";
import { readOperations } from "../reads/read-operations.ts";
import type { ReadOperation } from "../reads/read-operation.ts";
import { renderReply } from "./render-reply.ts";
import { unrecordedReply } from "./unrecorded-reply.ts";

/** The caller of a transport. */
export interface Speaker {
  readonly principal: string;
  readonly agent?: string;
  /** Commands of one caller stay in order and share the queue fairly with others. */
  readonly caller: string;
}

/** The context of calls: the engine, the caller and its operations. */
export interface CallContext {
  readonly services: EngineServices;
  readonly speaker: Speaker;
  /** The commands that a caller may send, with their entity type if it is not in the input. */
  readonly writes: ReadonlyMap<string, { readonly type?: string | undefined }>;
  /** True for doors, which only serialise replies. Other callers get copies, which they may change. */
  readonly sharesData: boolean;
}

/** Runs an operation for an authenticated caller. */
export function callOperation(
  context: CallContext,
  operation: string,
  input: Canonical,
  call: DoorCallOptions,
): Promise<CallReply> {
  const reply = callPlain(context, operation, input, call);
  return packOfOperation(operation) === undefined ? reply : reply.then((plain) => resourceViewOf(operation, plain));
}

function callPlain(
  context: CallContext,
  operation: string,
  input: Canonical,
  call: DoorCallOptions,
): Promise<CallReply> {
  // Not an async function: each further promise per command would cost as much as its decision.
  const { engine } = context.services;
  const read = readOperations.get(operation);
  if (read !== undefined) {
    return readOperation(engine, read, { input, agent: context.speaker.agent, call }).then((outcome) =>
      unrecordedReply(engine, outcome),
    );
  }
  const write = context.writes.get(operation);
  if (write === undefined) return Promise.resolve(unrecordedReply(engine, refusal("operation_unknown", { operation })));
  if (call.key !== undefined && !isIdempotencyKey(call.key)) {
    return Promise.resolve(unrecordedReply(engine, refusal("idempotency_key_invalid")));
  }
  const request = { operation, type: write.type };
  if (!needsPreparing(request, input)) return sendCommand(context, request, input, call);
  // The prepared input must not depend on how far this node has folded: the same request is the same command on every
  // node.
  return latest(engine, () => prepareIfUnchanged(engine, request, input)).then(
    (prepared) => sendCommand(context, request, prepared, call),
    (error: unknown) => unrecordedReply(engine, journalRefusal(error)),
  );
}

interface ReadRequest {
  readonly input: Json;
  readonly agent: string | undefined;
  readonly call: CallOptions;
}

async function readOperation(engine: Engine, operation: ReadOperation, request: ReadRequest): Promise<Outcome> {
  const { input, agent, call } = request;
  const issues = operation.check(input);
  if (issues !== undefined) return refusal("input_invalid", { issues: issues.map((issue) => ({ ...issue })) });
  const read = (): Promise<Outcome> => operation.read(engine, input as never, agent);
  return (call.reads === "local" ? read() : latest(engine, read)).catch(journalRefusal);
}

/** Runs `work` after this node has folded everything that any node acknowledged. Without other writers it runs at once. */
function latest<Result>(engine: Engine, work: () => Promise<Result>): Promise<Result> {
  return engine.isShared ? engine.catchUp().then(work) : work();
}

function sendCommand(
  context: CallContext,
  request: PreparedRequest,
  input: Json,
  call: DoorCallOptions,
): Promise<CallReply> {
  const { speaker } = context;
  const { engine } = context.services;
  const { operation } = request;
  const { principal, agent, caller } = speaker;
  // Only these members: other options of a caller must not change its identity.
  const { key, deadlineMs, mustExpect, inputBytes: bytes } = call;
  const trace = call.trace === undefined ? undefined : traceContext(call.trace);
  const command = { operation, input, bytes, principal, agent, caller, key, deadlineMs, mustExpect, trace };
  return engine.execute(command).then((reply) => {
    if (reply.outcome.kind === "done" && reply.attachment !== undefined) {
      const rendered = callReplyOf(context, reply, withAttachment(reply), call);
      return describesGrant(reply) ? withPriorLocks(engine, rendered) : rendered;
    }
    return explainReply(context, request, reply, { input: input as JsonObject, call });
  });
}

/** The reply to a command whose outcome needs data from history. */
async function explainReply(
  context: CallContext,
  request: PreparedRequest,
  reply: Reply,
  { input, call }: { readonly input: JsonObject; readonly call: CallOptions },
): Promise<CallReply> {
  const { engine } = context.services;
  if (request.operation === "erase-payload" && reply.outcome.kind === "done") {
    const unfinished = await finishErasePayload(engine, reply.outcome.data);
    if (unfinished !== undefined) return unrecordedReply(engine, unfinished);
  }
  try {
    return callReplyOf(context, reply, await renderReply(engine, reply, input), call);
  } catch (error) {
    // A partial reply would differ from the later reply to the same key, so the caller must retry.
    const { code } = journalRefusal(error);
    return unrecordedReply(engine, refusal("outcome_unknown", { reason: code, position: reply.position }));
  }
}

function callReplyOf(
  { sharesData }: CallContext,
  { position, replayed, events }: Reply,
  outcome: Outcome,
  call: CallOptions,
): CallReply {
  const copy = sharesData ? identity : copyJson;
  const data = copy(outcome.data) as Record<string, unknown>;
  const sentEvents = call.events === false ? [] : events.map((event) => publishedEvent(event, copy));
  return { outcome: { ...outcome, data }, position, replayed, events: sentEvents };
}

function publishedEvent(event: Event, copy: (value: Json) => Json): CallReply["events"][number] {
  const { type, subject, data } = event;
  return recordedAs(type, { name: publishedName(event), subject, data: copy(publishedData(data)) });
}

const identity = (value: Json): Json => value;

/** The outcome with its attachment. The data is a new object, so that members can be added to it. */
function withAttachment({ outcome, attachment }: Reply): Outcome {
  return { ...outcome, data: { ...outcome.data, ...attachment } };
}
