/** The folds of entity events. They never change; a new meaning is a new event type. */
import type { Event } from "../../machine/entry.ts";
import type { FoldedEntry, Fold } from "../../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { oneCopyOf } from "../../machine/one-copy-of.ts";
import type { StateWriter } from "../../machine/state.ts";
import { currentEpoch } from "../space/space-table.ts";
import { entityTable, isLive } from "./entity-table.ts";
import type { EntityRow, LiveEntityRow } from "./entity-table.ts";
import { jsonPatch } from "./json/json-patch.ts";
import { mergedValue } from "./json/merged-value.ts";
import { foldRetired } from "./retire-entity.ts";
import { noLimits, sizeOf } from "./size.ts";

export const entityFolds: Readonly<Record<string, Fold>> = {
  "entity.created": foldWhole,
  "entity.replaced": foldWhole,
  "entity.merged": foldMerged,
  "entity.patched": foldPatched,
  "entity.deleted": foldDeleted,
  "entity.retired": foldRetired,
  // A conflict changes nothing. It is recorded for the history.
  "entity.conflict": () => undefined,
};

function foldWhole(state: StateWriter, event: Event, entry: FoldedEntry): void {
  if (entry.erased !== undefined) {
    putErased(state, event, entry);
    return;
  }
  const value = event.data["value"] as Json;
  put(state, event, entry, { base: entry.position, value, size: sizeOf(value) });
}

function foldMerged(state: StateWriter, event: Event, entry: FoldedEntry): void {
  const row = existing(state, event, entry);
  if (row.isErased === true || entry.erased !== undefined) {
    putErased(state, event, entry);
    return;
  }
  const { value, size } = mergedValue(row, event.data["merge"] as JsonObject);
  put(state, event, entry, { base: row.base, value, size });
}

function foldPatched(state: StateWriter, event: Event, entry: FoldedEntry): void {
  const row = existing(state, event, entry);
  if (row.isErased === true || entry.erased !== undefined) {
    putErased(state, event, entry);
    return;
  }
  const patched = jsonPatch(row.value, event.data["patch"] as Json, noLimits, row.size);
  if (!patched.ok)
    throw new Error(`entry ${String(entry.position)} holds a patch that does not apply to ${event.subject}`);
  put(state, event, entry, { base: row.base, value: patched.value, size: patched.size });
}

function foldDeleted(state: StateWriter, event: Event, entry: FoldedEntry): void {
  put(state, event, entry, { base: entry.position, size: { bytes: 0, members: 0 } });
}

/** The data of this version was erased. A whole value follows later, otherwise the erasure would have been refused. */
function putErased(state: StateWriter, event: Event, entry: FoldedEntry): void {
  put(state, event, entry, { base: entry.position, isErased: true, value: null, size: { bytes: 4, members: 0 } });
}

function put(
  state: StateWriter,
  event: Event,
  entry: FoldedEntry,
  content: Pick<EntityRow, "base" | "isErased" | "value" | "size">,
): void {
  const rows = state.rows(entityTable);
  const before = rows.get(event.subject);
  const { type, id } = before ?? targetOf(event.subject);
  const { principal, agent, position, time } = entry;
  const subject = before?.subject ?? event.subject;
  const version = (before?.version ?? 0) + 1;
  const epoch = currentEpoch(state);
  const { base, isErased, value, size } = content;
  // Most rows are one of these literals. The order of the members is part of the state's hash.
  if (value === undefined || isErased === true) {
    const author = agent === undefined ? { principal } : { principal, agent };
    rows.put({ subject, type, id, version, epoch, position, time, ...author, ...content });
  } else if (agent === undefined)
    rows.put({ subject, type, id, version, epoch, position, time, principal, base, value, size });
  else rows.put({ subject, type, id, version, epoch, position, time, principal, agent, base, value, size });
}

function existing(state: StateWriter, event: Event, entry: FoldedEntry): LiveEntityRow {
  const row = state.rows(entityTable).get(event.subject);
  if (!isLive(row)) throw new Error(`entry ${String(entry.position)} patches ${event.subject}, which does not exist`);
  return row;
}

/** A type has no slash; an id may. */
function targetOf(subject: string): { readonly type: string; readonly id: string } {
  const slash = subject.indexOf("/");
  return { type: oneCopyOf(subject.slice(0, slash)), id: subject.slice(slash + 1) };
}
