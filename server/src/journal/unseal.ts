/**
 * Decodes a stored batch and verifies it: the chain, the headers and each payload that is read.
 *
 * Damage is an error that names the first affected position, never a shorter answer. A node that skipped an entry would
 * fold another history than its peers. That is worse than a node that stops.
 */
import type { Command, Entry, Event, Outcome } from "../machine/entry.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { isHeaderShape, isPayloadShape } from "./payload-shape.ts";
import { erasedByMark } from "./erase-from-batch.ts";
import { type Head, JournalError } from "./journal.ts";
import { readJson } from "@holdfast/sdk/json/read-json";
import { hashText } from "./seal.ts";

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

type Header = HeaderFields & ({ readonly outcome: "done" } | { readonly outcome: "refusal"; readonly code: string });

interface HeaderFields extends Omit<Command, "input" | "evidence">, Pick<Entry, "position" | "time" | "rules"> {
  readonly grace?: true;
  readonly events: readonly (readonly [type: string, subject: string])[];
  readonly payload: string;
}

interface Payload {
  readonly salt: string;
  readonly input: Json;
  readonly evidence?: Json;
  readonly outcome: JsonObject;
  readonly events: readonly JsonObject[];
}

/** Opens a batch. It must follow the batch with the hash `previous`. */
export function unseal(stored: StoredBatch, previous: string): OpenedBatch {
  const { first, count } = stored;
  const last = first + count - 1;
  if (stored.previous !== previous) {
    throw damageError(first, "chain", `the batch ${first} to ${last} names a predecessor that is not before it`);
  }
  const lines = stored.lines.split("\n");
  const headerLine = (position: number): string => lines[2 * (position - first)] ?? "";
  const payloadLine = (position: number): string => lines[2 * (position - first) + 1] ?? "";
  const parsed = new Map<number, Header>();
  function header(position: number): Header {
    const known = parsed.get(position) ?? parseHeader(headerLine(position), position);
    parsed.set(position, known);
    return known;
  }
  verifyHash(stored, lines);
  // The hash does not cover the row's own columns. A changed column would shift every position or let time decrease.
  header(first);
  if (header(last).time !== stored.time)
    throw damageError(first, "header", `the time column of its batch is ${stored.time}`);
  return {
    first,
    last,
    entry: (position) => openEntry(header(position), payloadLine(position)),
    size: (position) => Buffer.byteLength(headerLine(position)) + Buffer.byteLength(payloadLine(position)) + 2,
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

function verifyHash(stored: StoredBatch, lines: readonly string[]): void {
  const { first, count } = stored;
  if (lines.length !== 2 * count) {
    throw damageError(first, "header", `its batch has ${lines.length} lines instead of ${2 * count}`);
  }
  const headers = lines.filter((_, index) => index % 2 === 0);
  if (hashText([stored.previous, ...headers].join("\n")) !== stored.hash) {
    throw damageError(
      first,
      "header",
      `the headers of the batch ${first} to ${first + count - 1} do not match its hash`,
    );
  }
}

function parseHeader(line: string, position: number): Header {
  const value = parseLine(line, position, "header");
  if (!isHeaderShape(value)) throw damageError(position, "header", "it is not the header of an entry");
  const header = value as unknown as Header;
  if (header.position !== position) throw damageError(position, "header", `it holds position ${header.position}`);
  return header;
}

function openEntry(header: Header, line: string): Entry {
  if (hashText(line) === header.payload) return toEntry(header, parsePayload(line, header));
  const erased = erasedByMark(line);
  if (erased === undefined) throw damageError(header.position, "payload", "it does not match the hash in its header");
  const events = header.events.map(() => ({}));
  return { ...toEntry(header, { salt: "", input: null, outcome: {}, events }), erased };
}

function toEntry(header: Header, payload: Payload): Entry {
  const outcome: Outcome =
    header.outcome === "done"
      ? { kind: "done", data: payload.outcome }
      : { kind: "refusal", code: header.code, data: payload.outcome };
  const events = header.events.map(([type, subject], index): Event => {
    return { type, subject, data: payload.events[index] ?? {} };
  });
  return {
    id: header.id,
    operation: header.operation,
    principal: header.principal,
    ...(header.agent === undefined ? {} : { agent: header.agent }),
    ...(header.key === undefined ? {} : { key: header.key }),
    ...(header.trace === undefined ? {} : { trace: header.trace }),
    input: payload.input,
    ...(payload.evidence === undefined ? {} : { evidence: payload.evidence }),
    position: header.position,
    time: header.time,
    rules: header.rules,
    grace: header.grace === true,
    outcome,
    events,
  };
}

function toIndexed(header: Header): IndexedEntry {
  const { position, principal, operation, key } = header;
  const events = header.events.map(([, subject]) => ({ subject }));
  return { position, principal, operation, key, events };
}

function parsePayload(line: string, { position, events }: Header): Payload {
  const value = parseLine(line, position, "payload");
  if (isPayloadShape(value, events.length)) return value as unknown as Payload;
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
