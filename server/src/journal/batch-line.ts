/**
 * A batch as one line of text, for export and import. The line holds the stored text unchanged, so an import reproduces
 * the same positions and the same hashes. `lines` holds the line of headers, then the payload of each entry (see seal.ts).
 */
import { jsonLine } from "../base/json-line.ts";
import { isObject, type Json } from "@holdfast/sdk/json/json";
import { readJson } from "@holdfast/sdk/json/read-json";
import type { StoredBatch } from "./unseal.ts";

/**
 * Maximum characters of a stored batch, and of its line. A batch holds at most 4 MiB of commands. Their outcomes and events stay far
 * below this limit, so only a crafted file reaches it. It bounds the memory that a file from elsewhere can take.
 */
export const batchCharactersMax = 256 * 1024 * 1024;

export function batchLine({ first, count, time, previous, hash, lines }: StoredBatch): string {
  return jsonLine({ first, count, time, previous, hash, lines: lines.split("\n") });
}

/** Parses a line. Returns undefined unless it has the shape of a batch. It does not verify the hashes. */
export function readBatchLine(line: string): StoredBatch | undefined {
  const value = parse(line);
  if (!isObject(value)) return undefined;
  const { first, count, time, previous, hash, lines } = value;
  const hasColumns = isNumber(first) && isNumber(count) && isNumber(time) && isText(previous) && isText(hash);
  if (!hasColumns || !Array.isArray(lines) || !lines.every(isText)) return undefined;
  return { first, count, time, previous, hash, lines: (lines as readonly string[]).join("\n") };
}

function parse(line: string): Json | undefined {
  try {
    return readJson(line);
  } catch {
    return undefined;
  }
}

function isNumber(value: Json | undefined): value is number {
  return Number.isSafeInteger(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
