/**
 * Decodes a stored batch and verifies it: the chain, the headers and each payload that is read.
 *
 * Damage is an error that names the first affected position, never a shorter answer. A node that skipped an entry would
 * fold another history than its peers. That is worse than a node that stops.
 */
import type { Entry, Event } from "../machine/entry.ts";
import type { Json } from "@holdfast/sdk/json/json";
import { isHeaderLine, isHeaderTuple, isPayloadLine } from "./header-line.ts";
import type { HeaderLine, HeaderTuple, PayloadLine } from "./header-line.ts";
import { erasedByMark } from "./erase-from-batch.ts";
import { type Head, JournalError } from "./journal.ts";
import { readJson } from "@holdfast/sdk/json/read-json";
import { hashHeaders, hashText } from "./seal.ts";

/** A batch in a store. `time` is the time of its last entry, `previous` the hash of the batch before it. */
export interface StoredBatch {
  readonly first: number;
  readonly count: number;
  readonly time: number;
  readonly previous: string;
  readonly hash: string;
  readonly lines: string;
}

/** The fields of an entry that an index needs. The header holds them, so the index also finds erased entries. */
export interface IndexedEntry {
  readonly position: number;
  readonly principal: string;
  readonly operation: string;
  readonly key?: string | undefined;
  readonly events: readonly { readonly subject: string }[];
}

/** A batch whose chain and headers are verified. Each payload is verified when it is read. */
export interface OpenedBatch {
  readonly first: number;
  readonly last: number;
  /** The entry at this position. The batch must hold the position. */
  entry(position: number): Entry;
  /** The stored size of an entry in bytes. */
  size(position: number): number;
  indexed(): readonly IndexedEntry[];
}

/** The verified header of one entry, with the position, the time and the names that its batch holds. */
interface OpenedHeader {
  readonly position: number;
  readonly time: number;
  readonly operation: string;
  readonly principal: string;
  readonly events: readonly (readonly [type: string, subject: string])[];
  readonly tuple: HeaderTuple;
}

/** Opens a batch. It must follow the batch with the hash `previous`. */
export function unseal(stored: StoredBatch, previous: string): OpenedBatch {
  const { first, count } = stored;
  const last = first + count - 1;
  if (stored.previous !== previous) {
    throw damageError(first, "chain", `the batch ${first} to ${last} names a predecessor that is not before it`);
  }
  const lines = stored.lines.split("\n");
  const headerText = lines[0] ?? "";
  const headers = openHeaders(stored, headerText, lines.length);
  const payloadLine = (position: number): string => lines[position - first + 1] ?? "";
  const opened = new Map<number, OpenedHeader>();
  function header(position: number): OpenedHeader {
    const known = opened.get(position) ?? openHeader(headers, position);
    opened.set(position, known);
    return known;
  }
  // The hash does not cover the row's own columns. A changed column would shift every position or let time decrease.
  header(first);
  if (header(last).time !== stored.time)
    throw damageError(first, "header", `the time column of its batch is ${stored.time}`);
  const headerSize = Math.ceil(headerText.length / count);
  return {
    first,
    last,
    entry: (position) => openEntry(header(position), payloadLine(position)),
    size: (position) => headerSize + Buffer.byteLength(payloadLine(position)) + 1,
    indexed: () => Array.from({ length: count }, (_, index) => toIndexed(header(first + index))),
  };
}

/** Opens a batch and all its entries. */
export function unsealAll(stored: StoredBatch, previous: string): readonly Entry[] {
  const batch = unseal(stored, previous);
  return Array.from({ length: stored.count }, (_, index) => batch.entry(batch.first + index));
}

/** The journal's head when this is its last batch. */
export function headOf(batch: Omit<StoredBatch, "lines">): Head {
  return { position: batch.first + batch.count - 1, hash: batch.hash, time: batch.time };
}

export function damageError(position: number, part: "chain" | "header" | "payload", detail: string): JournalError {
  const message = `The journal is damaged at position ${position} (${part}): ${detail}.`;
  return new JournalError("damaged", message, { certain: true, position });
}

function openHeaders(stored: StoredBatch, line: string, lineCount: number): HeaderLine {
  const { first, count } = stored;
  if (lineCount !== count + 1) {
    throw damageError(first, "header", `its batch has ${lineCount} lines instead of ${count + 1}`);
  }
  if (hashHeaders(stored.previous, line) !== stored.hash) {
    throw damageError(
      first,
      "header",
      `the headers of the batch ${first} to ${first + count - 1} do not match its hash`,
    );
  }
  const value = parseLine(line, first, "header");
  if (!isHeaderLine(value)) throw damageError(first, "header", "it is not the first line of a batch");
  const headers = value as unknown as HeaderLine;
  if (headers[0] !== first) throw damageError(first, "header", `it holds position ${headers[0]}`);
  if (headers[3].length !== count) {
    throw damageError(first, "header", `its batch has ${headers[3].length} headers instead of ${count}`);
  }
  return headers;
}

function openHeader([first, start, names, headers]: HeaderLine, position: number): OpenedHeader {
  const tuple = headers[position - first];
  const isShaped = tuple !== undefined && isHeaderTuple(tuple, names.length);
  if (!isShaped || !Number.isSafeInteger(start + tuple[0])) {
    throw damageError(position, "header", "it is not the header of an entry");
  }
  const nameAt = (index: number | string | undefined): string => names[Number(index)] ?? "";
  const parts = tuple[10];
  const events: [string, string][] = [];
  for (let at = 0; at < parts.length; at += 2) events.push([nameAt(parts[at]), String(parts[at + 1])]);
  return { position, time: start + tuple[0], operation: nameAt(tuple[4]), principal: nameAt(tuple[5]), events, tuple };
}

function openEntry(header: OpenedHeader, line: string): Entry {
  if (hashText(line) === header.tuple[11]) return toEntry(header, parsePayload(line, header));
  const erased = erasedByMark(line);
  if (erased === undefined) throw damageError(header.position, "payload", "it does not match the hash in its header");
  const data = header.events.map(() => ({}));
  return { ...toEntry(header, ["", null, {}, data]), erased };
}

function toEntry(header: OpenedHeader, [, input, data, eventData, evidence]: PayloadLine): Entry {
  const { position, time, operation, principal } = header;
  const [, rules, grace, id, , , agent, key, trace, code] = header.tuple;
  const events = header.events.map(([type, subject], index): Event => {
    return { type, subject, data: eventData[index] ?? {} };
  });
  const named: { agent?: string; key?: string; trace?: string } = {};
  if (agent !== 0) named.agent = agent;
  if (key !== 0) named.key = key;
  if (trace !== 0) named.trace = trace;
  const entry: Entry = {
    id,
    operation,
    principal,
    ...named,
    input,
    position,
    time,
    rules,
    grace: grace === 1,
    outcome: code === 0 ? { kind: "done", data } : { kind: "refusal", code, data },
    events,
  };
  return evidence === undefined ? entry : { ...entry, evidence };
}

function toIndexed({ position, principal, operation, tuple, events }: OpenedHeader): IndexedEntry {
  return {
    position,
    principal,
    operation,
    key: tuple[7] === 0 ? undefined : tuple[7],
    events: events.map(([, subject]) => ({ subject })),
  };
}

function parsePayload(line: string, { position, events }: OpenedHeader): PayloadLine {
  const value = parseLine(line, position, "payload");
  if (isPayloadLine(value, events.length)) return value as unknown as PayloadLine;
  throw damageError(position, "payload", "it is not the payload of its header");
}

function parseLine(line: string, position: number, part: "header" | "payload"): Json {
  try {
    return readJson(line);
  } catch (cause) {
    throw new JournalError("damaged", `The journal is damaged at position ${position} (${part}): it is not JSON.`, {
      certain: true,
      cause,
      position,
    });
  }
}
