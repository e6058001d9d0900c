/** Writes the next value of an intent, with the audit events that describe the change in the same entry. */
import { defined } from "@holdfast/sdk/base/defined";
import type { IntentStatus } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { writeByKind } from "../../features/entities/write-by-kind.ts";
import type { KindWritten } from "../../features/entities/write-by-kind.ts";
import type { Event } from "../../machine/entry.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { intentKind } from "./intent-kind.ts";
import { intentPath } from "./intent-value.ts";
import type { FoundIntent, IntentValue } from "./intent-value.ts";
import { mergeBetween } from "./merge-between.ts";

/** An audit event without the members that every one has. */
export interface IntentRecord {
  readonly type: string;
  readonly data: JsonObject;
  /** The actor, if it is not the technical actor of the intent. */
  readonly actor?: string;
}

export interface IntentChange {
  readonly next: IntentValue;
  /** The verb under which the change is published; `changed` by default. It is not a name of a record. */
  readonly name?: string;
  readonly records: readonly IntentRecord[];
}

/** The change of a status as a record. */
export function statusRecord(from: IntentStatus, to: IntentStatus): readonly IntentRecord[] {
  if (from === to) return [];
  return [{ type: "intent.status_changed", data: { old_status: from, new_status: to } }];
}

export function recordEvent(id: string, { type, data, actor }: IntentRecord, at: EventPoint): Event {
  const head = { intent_id: id, actor: actor ?? at.value.technical_actor, version: at.version };
  return { type, subject: intentPath(id), data: { ...head, ...data } };
}

interface EventPoint {
  readonly value: IntentValue;
  readonly version: number;
}

/** Writes an intent and emits the records of the change. */
export function writeIntent(
  context: DecideContext,
  { row, value }: FoundIntent,
  { next, name, records }: IntentChange,
): KindWritten | Decision {
  const merge = mergeBetween(value as unknown as JsonObject, next as unknown as JsonObject);
  const write = { target: { id: row.id }, ...defined({ name }), change: { merge } };
  const written = writeByKind(intentKind, write, context);
  if ("outcome" in written) return written;
  const version = written.data["version"] as number;
  for (const record of records) context.emit(recordEvent(row.id, record, { value: next, version }));
  return written;
}

/** The decision of a command that changes one intent. */
export function changeIntent(context: DecideContext, found: FoundIntent, change: IntentChange): Decision {
  const written = writeIntent(context, found, change);
  if ("outcome" in written) return written;
  return { outcome: done(written.data), events: [], attachment: written.attachment };
}
