import { codeOfPack, packOfOperation } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import type { JsonObject } from "@holdfast/sdk/json/json";

/** The answer to an operation of a pack: its codes carry the pack's name, and a resource is shown as itself. */
export function shownByPack(operation: string, reply: CallReply): CallReply {
  const pack = packOfOperation(operation);
  if (pack === undefined) return reply;
  const { outcome } = reply;
  if (outcome.kind === "refusal")
    return { ...reply, outcome: { ...outcome, code: codeOfPack(pack.name, outcome.code) } };
  return { ...reply, outcome: { ...outcome, data: shown(outcome.data as JsonObject) } };
}

function shown(data: JsonObject): JsonObject {
  const { items } = data;
  return Array.isArray(items) ? { ...data, items: (items as JsonObject[]).map(resourceView) } : resourceView(data);
}

/**
 * An entity of a pack as a resource: its fields beside its revision, and not one level down. A field that is called like a
 * fact does not take its place: by their names facts are told to those who may not read the fields.
 */
function resourceView(entity: JsonObject): JsonObject {
  const { type: _type, value, changed_at: time, ...facts } = entity;
  const at = typeof time === "number" ? { changed_at: new Date(time).toISOString() } : {};
  return { ...facts, ...(value as JsonObject | undefined), ...facts, ...at };
}
