import { codeOfPack } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { stateLoading } from "../../base/state-loading.ts";
import { refusal } from "../../machine/refusal.ts";
import type { AppOperation, CallContext } from "../calls/app-operation.ts";
import { unrecordedReply } from "../calls/unrecorded-reply.ts";
import { withMomentaryState } from "../reads/momentary-state.ts";
import { readContextOf } from "../reads/read-context-of.ts";

interface ViewedCall {
  readonly record: AppOperation;
  readonly input: Json;
}

/** The reply to an operation of a pack: codes have the pack's prefix, and an entity is shown as a resource. */
export function resourceViewOf(context: CallContext, { record, input }: ViewedCall, reply: CallReply): CallReply {
  const { pack, resource, view } = record;
  if (pack === undefined) return reply;
  const { outcome } = reply;
  if (outcome.kind === "refusal")
    return { ...reply, outcome: { ...outcome, code: codeOfPack(pack.name, outcome.code) } };
  if (resource === undefined) return reply;
  const data = outcome.data as JsonObject;
  if (view === undefined) return { ...reply, outcome: { ...outcome, data: eachResource(data, fieldsOf) } };
  const shown = context.services.engine.peek((state) =>
    withMomentaryState(state, (moment) => {
      const viewed = readContextOf(context, input, moment);
      return eachResource(data, (entity) => (entity["value"] === undefined ? {} : view(entity, viewed)));
    }),
  );
  if (shown !== undefined) return { ...reply, outcome: { ...outcome, data: shown } };
  // The state is being loaded again. The same request gets the recorded outcome later, if its entry is still there: the
  // journal may have gone back. So this reply names no entry and is not a replay.
  const code = record.kind === "write" ? "outcome_unknown" : "journal_unavailable";
  return unrecordedReply(context.services.engine, refusal(code, stateLoading));
}

type FieldsOf = (entity: JsonObject) => JsonObject;

const fieldsOf: FieldsOf = ({ value }) => (value ?? {}) as JsonObject;

/** The entity of a reply, or each of its items, as a resource. */
function eachResource(data: JsonObject, fields: FieldsOf): JsonObject {
  const { items } = data;
  if (!Array.isArray(items)) return resourceView(data, fields);
  return { ...data, items: (items as JsonObject[]).map((item) => resourceView(item, fields)) };
}

/**
 * An entity of a pack as a resource, with its fields next to its revision on one level. A field never replaces a member
 * of the entity with the same name. Redaction shows those members to callers that may not read the fields.
 */
function resourceView(entity: JsonObject, fields: FieldsOf): JsonObject {
  const { type: _type, value: _value, ...facts } = entity;
  return { ...facts, ...fields(entity), ...facts };
}
