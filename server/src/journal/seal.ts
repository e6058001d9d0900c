/**
 * How a batch is written down, the same in every journal.
 *
 * Each entry becomes two lines of JSON; a batch's `lines` are all of them, joined by "\n" (JSON never holds a raw
 * newline, so a line is a line whatever the strings in it contain):
 *
 *   header   {"position","time","rules","grace"?,"id","operation","principal","agent"?,"key"?,"trace"?,
 *             "outcome","code"?,"events":[[type, subject], …],"payload"}
 *   payload  {"salt","input","outcome","events":[data, …]}
 *
 * `payload` in the header is the SHA-256 (hex) of the payload line. The hash of a batch is
 *
 *   SHA-256 (hex) of  previous hash + "\n" + header line + "\n" + header line + …
 *
 * over UTF-8. So the chain covers the payloads only through their hashes, and a payload can be erased on request
 * without breaking it. The salt keeps an erased payload from being guessed by hashing candidates. In its place stands
 * {"erased":N}, where N is the position of the entry that erased it; blanks may follow.
 *
 * This is the hot path: one JSON.stringify makes a line, and one hash covers all headers. The order and spelling of
 * the fields are the format. Changing them changes every hash after it: that needs a new format number.
 */
import { hash } from "node:crypto";
import type { Entry } from "../machine/entry.ts";
import { JournalError } from "./journal.ts";
import type { Head, SealedBatch } from "./sealed-batch.ts";

export type { SealedBatch } from "./sealed-batch.ts";

/** The head of the empty journal, which the first batch of every journal follows. */
export const genesis: Head = { position: 0, hash: "0".repeat(64), time: 0 };

/** Encodes entries for the journal and chains them to their predecessor. Salts come in, so that equal input gives equal hashes. */
export function seal(entries: readonly Entry[], after: Head, salts: readonly string[]): SealedBatch {
  let { position, time } = after;
  const headers = [after.hash];
  const lines: string[] = [];
  for (const entry of entries) {
    const salt = salts[position - after.position];
    if (salt === undefined) throw invalidBatch(`${entries.length} entries need as many salts, not ${salts.length}.`);
    rejectMisfit(entry, position, time);
    position += 1;
    time = entry.time;
    const payload = payloadLine(entry, salt);
    const header = headerLine(entry, hashText(payload));
    headers.push(header);
    lines.push(header, payload);
  }
  if (lines.length === 0) throw invalidBatch("A batch needs at least one entry.");
  return { after, head: { position, hash: hashText(headers.join("\n")), time }, entries, lines: lines.join("\n") };
}

/** SHA-256 in hex. `crypto.hash` is the fastest way to one here; asking it for a buffer costs twice as much. */
export function hashText(text: string): string {
  return hash("sha256", text, "hex");
}

/**
 * A misfit is a bug of the caller. It is caught here, because an entry that is durable and can not be read back would
 * stop every node at the same position, for ever.
 */
function rejectMisfit(entry: Entry, before: number, time: number): void {
  if (entry.position !== before + 1)
    throw invalidBatch(`Position ${entry.position} stands where ${before + 1} belongs.`);
  if (!Number.isSafeInteger(entry.time) || entry.time < time) {
    throw invalidBatch(`The time ${entry.time} of position ${entry.position} is no whole number from ${time} up.`);
  }
}

function invalidBatch(message: string): JournalError {
  return new JournalError("invalid", message, { certain: true });
}

/** JSON.stringify leaves out what is undefined and keeps the order of the rest: one call makes the whole line. */
function headerLine(entry: Entry, payload: string): string {
  const { outcome } = entry;
  return JSON.stringify({
    position: entry.position,
    time: entry.time,
    rules: entry.rules,
    grace: entry.grace ? true : undefined,
    id: entry.id,
    operation: entry.operation,
    principal: entry.principal,
    agent: entry.agent,
    key: entry.key,
    trace: entry.trace,
    outcome: outcome.kind,
    code: outcome.kind === "refusal" ? outcome.code : undefined,
    events: entry.events.map(({ type, subject }) => [type, subject]),
    payload,
  });
}

function payloadLine(entry: Entry, salt: string): string {
  const { input, outcome, events } = entry;
  return JSON.stringify({ salt, input, outcome: outcome.data, events: events.map(({ data }) => data) });
}
