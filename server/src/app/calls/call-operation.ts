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
import { carryOutErasure } from "./hooks/erase-payload.ts";
import { copyJson } from "./copy-json.ts";
import { published } from "../watch/entry-events.ts";
import { journalRefusal } from "./journal-refusal.ts";
import { tellsHowLeft, withHowLeft } from "./lock-replies.ts";
import { shownByPack } from "../packs/resource-view.ts";
import { needsPreparing, prepareCommand } from "./hooks/if-unchanged.ts";
import type { Wish } from "./hooks/if-unchanged.ts";
import { readOperations } from "../reads/read-operations.ts";
import type { ReadOperation } from "../reads/read-operation.ts";
import { renderOutcome } from "./render-reply.ts";
import { unrecordedReply } from "./unrecorded-reply.ts";

/** Who speaks through a transport. */
export interface Speaker {
  readonly principal: string;
  readonly agent?: string;
  /** Commands of one caller stay in order and take turns with those of others. */
  readonly caller: string;
}

export interface CallPlace {
  readonly services: EngineServices;
  readonly speaker: Speaker;
  /** The operations that a caller may send, with the type of entity that they are about if it is not in the input. */
  readonly writes: ReadonlyMap<string, { readonly type?: string }>;
  /** True for doors, which only write replies as text. Other callers get copies, which they may change. */
  readonly sharesData: boolean;
}

/** Runs an operation for a speaker who is known to be who it says. */
export function callOperation(
  options: CallPlace,
  operation: string,
  input: Canonical,
  call: DoorCallOptions,
): Promise<CallReply> {
  const reply = callPlain(options, operation, input, call);
  return packOfOperation(operation) === undefined ? reply : reply.then((plain) => shownByPack(operation, plain));
}

function callPlain(options: CallPlace, operation: string, input: Canonical, call: DoorCallOptions): Promise<CallReply> {
  // Not an async function: on the way of every command each further promise would cost as much as its decision.
  const { engine } = options.services;
  const read = readOperations.get(operation);
  if (read !== undefined) {
    return readOperation(engine, read, { input, agent: options.speaker.agent, call }).then((outcome) =>
      unrecordedReply(engine, outcome),
    );
  }
  const write = options.writes.get(operation);
  if (write === undefined) return Promise.resolve(unrecordedReply(engine, refusal("operation_unknown", { operation })));
  if (call.key !== undefined && !isIdempotencyKey(call.key)) {
    return Promise.resolve(unrecordedReply(engine, refusal("idempotency_key_invalid")));
  }
  const wish = { operation, type: write.type };
  if (!needsPreparing(wish, input)) return sendCommand(options, wish, input, call);
  // What it is prepared with must not depend on how far this node is: the same request is the same command everywhere.
  return latest(engine, () => prepareCommand(engine, wish, input)).then(
    (prepared) => sendCommand(options, wish, prepared, call),
    (error: unknown) => unrecordedReply(engine, journalRefusal(error)),
  );
}

interface Question {
  readonly input: Json;
  readonly agent: string | undefined;
  readonly call: CallOptions;
}

async function readOperation(engine: Engine, operation: ReadOperation, question: Question): Promise<Outcome> {
  const { input, agent, call } = question;
  const issues = operation.check(input);
  if (issues !== undefined) return refusal("input_invalid", { issues: issues.map((issue) => ({ ...issue })) });
  const read = (): Promise<Outcome> => operation.read(engine, input as never, agent);
  return (call.reads === "local" ? read() : latest(engine, read)).catch(journalRefusal);
}

/** After everything is folded here that was acknowledged anywhere before. Where nobody else writes, that is now. */
function latest<Result>(engine: Engine, work: () => Promise<Result>): Promise<Result> {
  return engine.isShared ? engine.catchUp().then(work) : work();
}

function sendCommand(options: CallPlace, wish: Wish, input: Json, call: DoorCallOptions): Promise<CallReply> {
  const { speaker } = options;
  const { engine } = options.services;
  const { operation } = wish;
  const { principal, agent, caller } = speaker;
  // Only these: what else a caller puts into its options must not say who it is.
  const { key, deadlineMs, mustExpect, inputBytes: bytes } = call;
  const trace = call.trace === undefined ? undefined : traceContext(call.trace);
  const request = { operation, input, bytes, principal, agent, caller, key, deadlineMs, mustExpect, trace };
  return engine.execute(request).then((reply) => {
    if (reply.outcome.kind === "done" && reply.attachment !== undefined) {
      const shown = shownReply(options, reply, withAttachment(reply), call);
      return tellsHowLeft(reply) ? withHowLeft(engine, shown) : shown;
    }
    return explainReply(options, wish, reply, { input: input as JsonObject, call });
  });
}

/** The answer to a command of which not everything can be said from the decision alone. */
async function explainReply(
  place: CallPlace,
  wish: Wish,
  reply: Reply,
  { input, call }: { readonly input: JsonObject; readonly call: CallOptions },
): Promise<CallReply> {
  const { engine } = place.services;
  if (wish.operation === "erase-payload" && reply.outcome.kind === "done") {
    const unfinished = await carryOutErasure(engine, reply.outcome.data);
    if (unfinished !== undefined) return unrecordedReply(engine, unfinished);
  }
  try {
    return shownReply(place, reply, await renderOutcome(engine, reply, input), call);
  } catch (error) {
    // Half an answer would differ from the one that the same key gets later. So: ask again.
    const { code } = journalRefusal(error);
    return unrecordedReply(engine, refusal("outcome_unknown", { reason: code, position: reply.position }));
  }
}

function shownReply(
  { sharesData }: CallPlace,
  { position, replayed, events }: Reply,
  outcome: Outcome,
  call: CallOptions,
): CallReply {
  const copy = sharesData ? asItIs : copyJson;
  const data = copy(outcome.data) as Record<string, unknown>;
  const shown = call.events === false ? [] : events.map((event) => shownEvent(event, copy));
  return { outcome: { ...outcome, data }, position, replayed, events: shown };
}

function shownEvent(event: Event, copy: (value: Json) => Json): CallReply["events"][number] {
  const { type, subject, data } = event;
  return recordedAs(type, { name: publishedName(event), subject, data: copy(published(data)) });
}

const asItIs = (value: Json): Json => value;

/** Its data is an object of its own: more may be added to it. */
function withAttachment({ outcome, attachment }: Reply): Outcome {
  return { ...outcome, data: { ...outcome.data, ...attachment } };
}
