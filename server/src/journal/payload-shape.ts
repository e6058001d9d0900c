/**
 * The shape of a stored entry. The author of a crafted file computes correct hashes over any content. So the hashes prove
 * that a line is unchanged, and these checks prove that it is an entry.
 */
import { isObject, type Json, type JsonObject } from "@holdfast/sdk/json/json";

export function isHeaderShape(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const { position, time, rules, grace, id, operation, principal, agent, key, trace, events, payload } = value;
  return (
    isCount(position) &&
    isCount(time) &&
    isCount(rules) &&
    (grace === undefined || grace === true) &&
    [id, operation, principal, payload].every(isText) &&
    [agent, key, trace].every((text) => text === undefined || isText(text)) &&
    hasOutcome(value) &&
    Array.isArray(events) &&
    events.every((event) => Array.isArray(event) && event.length === 2 && event.every(isText))
  );
}

/** `eventCount` is the number of events in the header. */
export function isPayloadShape(value: Json | undefined, eventCount: number): boolean {
  if (!isObject(value)) return false;
  const { input, outcome, events } = value;
  return (
    input !== undefined &&
    isObject(outcome) &&
    Array.isArray(events) &&
    events.length === eventCount &&
    events.every(isObject)
  );
}

function hasOutcome({ outcome, code }: JsonObject): boolean {
  return outcome === "done" ? code === undefined : outcome === "refusal" && isText(code);
}

function isCount(value: Json | undefined): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: Json | undefined): boolean {
  return typeof value === "string";
}
