/** Converts the terms of a grant or a ticket to the data of an event, and back. */
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { RequestTerms, Terms } from "./lock-tables.ts";

export function termsData(terms: RequestTerms): JsonObject {
  return addTermsData({}, terms);
}

/**
 * Adds the terms to the data of an event, in a fixed order. Most grants have only a lease, so members are added one by
 * one. An object for each member would cost more than the rest of the event.
 */
export function addTermsData(data: Record<string, Json>, terms: RequestTerms): Record<string, Json> {
  data["ttl_ms"] = terms.ttlMs;
  if (terms.maxHoldMs !== undefined) data["max_hold_ms"] = terms.maxHoldMs;
  if (terms.holdOffMs !== undefined) data["hold_off_ms"] = terms.holdOffMs;
  if (terms.purpose !== undefined) data["purpose"] = terms.purpose;
  if (terms.note !== undefined) data["note"] = terms.note;
  if (terms.metadata !== undefined) data["metadata"] = terms.metadata;
  return data;
}

/** A row while it is made. */
export type RowDraft<Row> = { -readonly [Name in keyof Row]: Row[Name] };

export function readTerms(data: JsonObject): Terms {
  return readTermsInto({ ttlMs: 0 }, data);
}

/** Sets the terms of a row from the data of an event, in a fixed order. */
export function readTermsInto<Row extends Terms>(row: RowDraft<Row>, data: JsonObject): Row {
  row.ttlMs = data["ttl_ms"] as number;
  if (data["max_hold_ms"] !== undefined) row.maxHoldMs = data["max_hold_ms"] as number;
  if (data["hold_off_ms"] !== undefined) row.holdOffMs = data["hold_off_ms"] as number;
  if (data["purpose"] !== undefined) row.purpose = data["purpose"] as string;
  if (data["note"] !== undefined) row.note = data["note"] as string;
  if (data["metadata"] !== undefined) row.metadata = data["metadata"] as JsonObject;
  return row;
}
