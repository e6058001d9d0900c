/**
 * The stored format of a batch. It is the same in every journal.
 *
 * A batch of n entries becomes n + 1 lines of JSON: one line with the headers of all entries, and one payload line per
 * entry. The `lines` of a batch are these lines, joined by "\n". JSON never holds a raw newline, so no string can split
 * a line.
 *
 *   headers [first, time, [name, …], [header, …]]
 *   header   [time, rules, grace, id, operation, principal, agent, key, trace, code, [type, subject, …], payload]
 *   payload [salt, input, outcome, [data, …]] or [salt, input, outcome, [data, …], evidence]
 *
 * - `first` and `time` are the position and the time of the first entry. The time of a header is relative to it.
 * - `operation`, `principal` and each `type` are indexes in the list of names, which holds each name once.
 * - `grace` is 0 or 1. `agent`, `key` and `trace` are 0 if the entry has none. `code` is 0, or the code of a refusal.
 * - `payload` is the SHA-256 (hex) of the payload line.
 *
 * The hash of a batch is, over UTF-8:
 *
 *   SHA-256 (hex) of previous hash + "\n" + line of headers
 *
 * The chain covers a payload only through its hash. So a payload can be erased without breaking the chain, and the
 * other payloads of its batch stay proven. The salt prevents an attacker from guessing an erased payload by hashing
 * candidates. Each payload has a salt of its own, so an erasure removes the salt too. An erased payload is replaced by
 * {"erased":N}, where N is the position of the erasing entry. Blanks may follow.
 *
 * This is the hot path. Arrays without member names, and names once per batch, make fewer bytes to write and to hash.
 * The order and spelling are part of the format. A change alters every later hash and needs a new format number.
 */
import { hash } from "node:crypto";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Entry } from "../machine/entry.ts";
import { JournalError } from "./journal.ts";
import type { Head, SealedBatch } from "./sealed-batch.ts";

export type { SealedBatch } from "./sealed-batch.ts";

/** The head of the empty journal. The first batch of every journal follows it. */
export const genesis: Head = { position: 0, hash: "0".repeat(64), time: 0 };

/** Encodes entries and chains them to their predecessor. Salts are an argument, so equal input gives equal hashes. */
export function seal(entries: readonly Entry[], after: Head, salts: readonly string[]): SealedBatch {
  const start = entries[0]?.time ?? 0;
  const names = new Map<string, number>();
  const headers: SealedHeader[] = [];
  let payloads = "";
  let { position, time } = after;
  for (const entry of entries) {
    const salt = salts[headers.length];
    if (salt === undefined) throw invalidBatch(`${entries.length} entries need as many salts, not ${salts.length}.`);
    rejectInvalidEntry(entry, position, time);
    position += 1;
    time = entry.time;
    const payload = payloadLine(entry, salt);
    payloads += `\n${payload}`;
    headers.push(sealedHeader(entry, entry.time - start, names, hashText(payload)));
  }
  if (headers.length === 0) throw invalidBatch("A batch needs at least one entry.");
  const line = JSON.stringify([after.position + 1, start, [...names.keys()], headers]);
  const head = { position, hash: hashHeaders(after.hash, line), time };
  return { after, head, entries, lines: line + payloads };
}

/** The hash of a batch. */
export function hashHeaders(previous: string, line: string): string {
  return hashText(`${previous}\n${line}`);
}

/** SHA-256 in hex. `crypto.hash` is the fastest implementation here. A buffer instead of hex costs twice as much. */
export function hashText(text: string): string {
  return hash("sha256", text, "hex");
}

/**
 * An entry that does not fit is a bug of the caller. The check is here because a durable entry that cannot be read would
 * stop every node at the same position, forever.
 */
function rejectInvalidEntry(entry: Entry, before: number, time: number): void {
  if (entry.position !== before + 1)
    throw invalidBatch(`Position ${entry.position} is not the expected ${before + 1}.`);
  if (!Number.isSafeInteger(entry.time) || entry.time < time) {
    throw invalidBatch(
      `The time ${entry.time} of position ${entry.position} is not a whole number of at least ${time}.`,
    );
  }
}

function invalidBatch(message: string): JournalError {
  return new JournalError("invalid", message, { certain: true });
}

type SealedHeader = readonly (number | string | readonly (number | string)[])[];

function sealedHeader(entry: Entry, time: number, names: Map<string, number>, payload: string): SealedHeader {
  const { outcome } = entry;
  const events: (number | string)[] = [];
  for (const { type, subject } of entry.events) events.push(indexOfName(names, type), subject);
  return [
    time,
    entry.rules,
    entry.grace ? 1 : 0,
    entry.id,
    indexOfName(names, entry.operation),
    indexOfName(names, entry.principal),
    entry.agent ?? 0,
    entry.key ?? 0,
    entry.trace ?? 0,
    outcome.kind === "refusal" ? outcome.code : 0,
    events,
    payload,
  ];
}

function indexOfName(names: Map<string, number>, name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  names.set(name, names.size);
  return names.size - 1;
}

function payloadLine(entry: Entry, salt: string): string {
  const { input, evidence, outcome } = entry;
  const data: JsonObject[] = [];
  for (const event of entry.events) data.push(event.data);
  return JSON.stringify(
    evidence === undefined ? [salt, input, outcome.data, data] : [salt, input, outcome.data, data, evidence],
  );
}
