import { codeOfPack } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { OperationRecord } from "../../operations/operation-record.ts";

/** The reply to an operation of a pack: codes have the pack's prefix, and an entity is shown as a resource. */
export function resourceViewOf({ pack, resource }: OperationRecord, reply: CallReply): CallReply {
  if (pack === undefined) return reply;
  const { outcome } = reply;
  if (outcome.kind === "refusal")
    return { ...reply, outcome: { ...outcome, code: codeOfPack(pack.name, outcome.code) } };
  if (resource === undefined) return reply;
  return { ...reply, outcome: { ...outcome, data: resourceData(outcome.data as JsonObject) } };
}

function resourceData(data: JsonObject): JsonObject {
  const { items } = data;
  return Array.isArray(items) ? { ...data, items: (items as JsonObject[]).map(resourceView) } : resourceView(data);
}

/**
 * An entity of a pack as a resource: its fields next to its revision, on one level. A field never replaces a member of
 * the entity with the same name: redaction shows those members to callers that may not read the fields.
 */
function resourceView(entity: JsonObject): JsonObject {
  const { type: _type, value, changed_at: time, ...members } = entity;
  const view = { ...members, ...(value as JsonObject | undefined), ...members };
  return typeof time === "number" ? { ...view, changed_at: new Date(time).toISOString() } : view;
}
