/**
 * The stored format of a batch. It is the same in every journal.
 *
 * Each entry becomes two lines of JSON. The `lines` of a batch are these lines, joined by "\n". JSON never holds a raw
 * newline, so no string can split a line.
 *
 *   header   {"position","time","rules","grace"?,"id","operation","principal","agent"?,"key"?,"trace"?,
 *             "outcome","code"?,"events":[[type, subject], …],"payload"}
 *   payload  {"salt","input","evidence"?,"outcome","events":[data, …]}
 *
 * `payload` in the header is the SHA-256 (hex) of the payload line. The hash of a batch is, over UTF-8:
 *
 *   SHA-256 (hex) of  previous hash + "\n" + header line + "\n" + header line + …
 *
 * The chain covers a payload only through its hash, so a payload can be erased without breaking the chain. The salt
 * prevents an attacker from guessing an erased payload by hashing candidates. An erased payload is replaced by
 * {"erased":N}, where N is the position of the erasing entry. Blanks may follow.
 *
 * This is the hot path: one JSON.stringify makes a line, and one hash covers all headers. The order and spelling of the
 * fields are part of the format. A change alters every later hash and needs a new format number.
 */
import { hash } from "node:crypto";
import type { Entry } from "../machine/entry.ts";
import { JournalError } from "./journal.ts";
import type { Head, SealedBatch } from "./sealed-batch.ts";

export type { SealedBatch } from "./sealed-batch.ts";

/** The head of the empty journal. The first batch of every journal follows it. */
export const genesis: Head = { position: 0, hash: "0".repeat(64), time: 0 };

/** Encodes entries and chains them to their predecessor. Salts are an argument, so equal input gives equal hashes. */
export function seal(entries: readonly Entry[], after: Head, salts: readonly string[]): SealedBatch {
  let { position, time } = after;
  const headers = [after.hash];
  const lines: string[] = [];
  for (const entry of entries) {
    const salt = salts[position - after.position];
    if (salt === undefined) throw invalidBatch(`${entries.length} entries need as many salts, not ${salts.length}.`);
    rejectInvalidEntry(entry, position, time);
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

/** JSON.stringify omits undefined members and keeps the order of the others, so one call makes the whole line. */
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
  const { input, evidence, outcome, events } = entry;
  return JSON.stringify({ salt, input, evidence, outcome: outcome.data, events: events.map(({ data }) => data) });
}
