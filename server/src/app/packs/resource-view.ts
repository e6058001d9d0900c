import { codeOfPack, packOfOperation } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import type { JsonObject } from "@holdfast/sdk/json/json";

/** The reply to an operation of a pack: codes have the pack's prefix, and an entity becomes a resource. */
export function resourceViewOf(operation: string, reply: CallReply): CallReply {
  const pack = packOfOperation(operation);
  if (pack === undefined) return reply;
  const { outcome } = reply;
  if (outcome.kind === "refusal")
    return { ...reply, outcome: { ...outcome, code: codeOfPack(pack.name, outcome.code) } };
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
