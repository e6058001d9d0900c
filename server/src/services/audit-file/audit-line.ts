/**
 * A line of the audit file. `prev` is the position of the line before, so that a reader detects a gap or a repeat without
 * other data. `sum` detects a damaged line. A line has no free text of a caller: payloads, reasons and messages stay in
 * the journal, where they can be erased.
 */
import { hash } from "node:crypto";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { jsonLine } from "../../base/json-line.ts";

/** An entry as the audit file shows it. */
export interface AuditEntry {
  readonly position: number;
  readonly epoch: number;
  readonly time: string;
  readonly by: JsonObject;
  readonly operation: string;
  readonly outcome: string;
  readonly subjects: readonly string[];
  readonly records: readonly JsonObject[];
  readonly changes: readonly JsonObject[];
}

/** The last position of a history, and the epoch in which it was written. */
export interface AuditCursor {
  readonly epoch: number;
  readonly position: number;
}

/** A whole line. `lost` is true for the mark that follows the lines of a history that a restore has undone. */
export interface ParsedAuditLine extends AuditCursor {
  readonly prev: number;
  readonly isLost: boolean;
  readonly value: JsonObject;
}

/** The line of an entry, without the line feed. A busy server writes thousands a second, so most entries are not copied. */
export function auditLine(entry: AuditEntry, prev: number): string {
  const records = entry.records.some(hasFreeText)
    ? (entry.records.map(withoutFreeText) as readonly JsonObject[])
    : undefined;
  const text = jsonLine(records === undefined ? entry : { ...entry, records });
  return summed(`${text.slice(0, -1)},"prev":${prev}}`);
}

/** The mark of a lost history: the lines above it and after this position are not part of the journal. */
export function lostLine({ position, epoch }: AuditCursor, prev: number): string {
  return summed(jsonLine({ lost_after: position, prev, epoch }));
}

/** Reads a line. Undefined for a line that is damaged, or that another program wrote. */
export function parseAuditLine(text: string): ParsedAuditLine | undefined {
  const at = text.length - sumLength;
  const found = at < 1 ? undefined : sumPattern.exec(text.slice(at))?.[1];
  if (found === undefined || sumOf(`${text.slice(0, at)}}`) !== found) return undefined;
  const value = JSON.parse(text) as JsonObject;
  const { position, lost_after: lost, prev, epoch } = value;
  const last = lost ?? position;
  if (typeof last !== "number" || typeof prev !== "number" || typeof epoch !== "number") return undefined;
  return { position: last, prev, epoch, isLost: lost !== undefined, value };
}

const sumPattern = /^,"sum":"([0-9a-f]{8})"\}$/u;
const sumLength = `,"sum":"01234567"}`.length;

function summed(body: string): string {
  return `${body.slice(0, -1)},"sum":"${sumOf(body)}"}`;
}

function sumOf(body: string): string {
  return hash("sha256", body, "hex").slice(0, 8);
}

/** Members of records that contain the words of a caller or of its program. */
const freeText = new Set(["reason", "message", "note", "payload", "diff", "metadata"]);

/** The value without free text, at any depth of its objects. */
function withoutFreeText(value: Json): Json {
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !freeText.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutFreeText(member)]));
}

function hasFreeText(value: JsonObject): boolean {
  for (const name in value) {
    const member = value[name];
    if (freeText.has(name) || (member !== undefined && isObject(member) && hasFreeText(member))) return true;
  }
  return false;
}
