/**
 * The shapes of the stored lines of a batch. The author of a crafted file computes correct hashes over any content. So the
 * hashes prove that a line is unchanged, and these checks prove that it holds entries.
 */
import { isObject, type Json, type JsonObject } from "@holdfast/sdk/json/json";

/** The line of headers, see seal.ts. */
export type HeaderLine = readonly [
  first: number,
  time: number,
  names: readonly string[],
  headers: readonly HeaderTuple[],
];

export type HeaderTuple = readonly [
  time: number,
  rules: number,
  grace: 0 | 1,
  id: string,
  operation: number,
  principal: number,
  agent: string | 0,
  key: string | 0,
  trace: string | 0,
  code: string | 0,
  events: readonly (number | string)[],
  payload: string,
];

export type PayloadLine = readonly [
  salt: string,
  input: Json,
  outcome: JsonObject,
  events: readonly JsonObject[],
  evidence?: Json,
];

/** The headers themselves are checked one by one. */
export function isHeaderLine(value: Json): boolean {
  if (!isList(value) || value.length !== 4) return false;
  const [first, time, names, headers] = value;
  return isCount(first) && isCount(time) && isList(names) && names.every(isText) && isList(headers);
}

/** `nameCount` is the number of names in the line. */
export function isHeaderTuple(value: Json | undefined, nameCount: number): boolean {
  if (!isList(value) || value.length !== 12) return false;
  const [time, rules, grace, id, operation, principal, agent, key, trace, code, events, payload] = value;
  const isName = (index: Json | undefined): boolean => isCount(index) && Number(index) < nameCount;
  return (
    isCount(time) &&
    isCount(rules) &&
    (grace === 0 || grace === 1) &&
    [id, payload].every(isText) &&
    [operation, principal].every(isName) &&
    [agent, key, trace, code].every((text) => text === 0 || isText(text)) &&
    isList(events) &&
    events.length % 2 === 0 &&
    events.every((part, index) => (index % 2 === 0 ? isName(part) : isText(part)))
  );
}

/** `eventCount` is the number of events in the header. */
export function isPayloadLine(value: Json, eventCount: number): boolean {
  if (!isList(value) || (value.length !== 4 && value.length !== 5)) return false;
  const [salt, , outcome, events] = value;
  return isText(salt) && isObject(outcome) && isList(events) && events.length === eventCount && events.every(isObject);
}

/** `Array.isArray` alone would lose the type of the elements. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isCount(value: Json | undefined): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: Json | undefined): boolean {
  return typeof value === "string";
}
