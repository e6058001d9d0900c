import type { Json } from "../json.ts";
import { hasEscapedName } from "./has-escaped-name.ts";
import { scanJson } from "./scan-json.ts";

const unlimited = { depthMax: Infinity, bytesMax: Infinity, membersMax: Infinity, nameLengthMax: Infinity };

/**
 * Reads back JSON text that this project wrote from canonical values: entries, checkpoints, rows. Use it wherever
 * JSON.parse would do, since JSON.parse does not always return the names that were written (see has-escaped-name.ts).
 * What is not canonical JSON is an operating error here, so it throws.
 */
export function readJson(text: string): Json {
  if (!hasEscapedName(text)) return JSON.parse(text) as Json;
  const result = scanJson(text, unlimited);
  if (result.ok) return result.value;
  const { reason, pointer, offset } = result.fault;
  throw new SyntaxError(`stored text is not canonical JSON: ${reason} at "${pointer}", offset ${String(offset)}`);
}
