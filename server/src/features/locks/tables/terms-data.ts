/** Converts the terms of a grant or a ticket to the data of an event, and back. */
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { RequestTerms, Terms } from "./lock-tables.ts";

export function termsData(terms: RequestTerms): JsonObject {
  return {
    ttl_ms: terms.ttlMs,
    ...(terms.maxHoldMs === undefined ? {} : { max_hold_ms: terms.maxHoldMs }),
    ...(terms.holdOffMs === undefined ? {} : { hold_off_ms: terms.holdOffMs }),
    ...(terms.purpose === undefined ? {} : { purpose: terms.purpose }),
    ...(terms.note === undefined ? {} : { note: terms.note }),
    ...(terms.metadata === undefined ? {} : { metadata: terms.metadata }),
  };
}

export function readTerms(data: JsonObject): Terms {
  return {
    ttlMs: data["ttl_ms"] as number,
    ...(data["max_hold_ms"] === undefined ? {} : { maxHoldMs: data["max_hold_ms"] as number }),
    ...(data["hold_off_ms"] === undefined ? {} : { holdOffMs: data["hold_off_ms"] as number }),
    ...(data["purpose"] === undefined ? {} : { purpose: data["purpose"] as string }),
    ...(data["note"] === undefined ? {} : { note: data["note"] as string }),
    ...(data["metadata"] === undefined ? {} : { metadata: data["metadata"] as JsonObject }),
  };
}
