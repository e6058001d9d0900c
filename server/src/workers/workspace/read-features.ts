/** Reads features from a GeoJSON file, or from one with a feature in each line. */
import { open, readFile, stat } from "node:fs/promises";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json } from "@holdfast/sdk/json/json";
import { WorkInputFault } from "./workspace-job.ts";

/** Maximum bytes of a GeoJSON file, which is parsed as a whole. Lines have no such limit together. */
const wholeBytesMax = 64 * 1024 * 1024;
/** Maximum characters of a line. */
const lineMax = 1024 * 1024;

export interface NumberedFeature {
  /** The number of the line, or of the feature in the collection, from 1. */
  readonly number: number;
  readonly text: string;
  readonly value: Json;
}

export async function* readFeatures(file: string): AsyncGenerator<NumberedFeature, void, undefined> {
  const collection = await wholeCollection(file);
  if (collection === undefined) yield* readLines(file);
  else
    for (const [index, value] of collection.entries()) yield { number: index + 1, text: JSON.stringify(value), value };
}

/** The features of a file that is one collection; undefined if it has lines. */
async function wholeCollection(file: string): Promise<readonly Json[] | undefined> {
  const { size } = await stat(file);
  if (size > wholeBytesMax) return undefined;
  const parsed = parsedOrNothing(await readFile(file, "utf8"));
  if (!isObject(parsed ?? null)) return undefined;
  const { type, features } = parsed as { readonly type?: Json; readonly features?: Json };
  if (type === "Feature") return [parsed as Json];
  return type === "FeatureCollection" && Array.isArray(features) ? features : undefined;
}

function parsedOrNothing(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

async function* readLines(file: string): AsyncGenerator<NumberedFeature, void, undefined> {
  await using handle = await open(file);
  let number = 0;
  for await (const line of boundedLines(handle.createReadStream({ encoding: "utf8", autoClose: false }))) {
    number += 1;
    const text = line.trim();
    if (text === "") continue;
    const value = parsedOrNothing(text);
    if (value === undefined) throw new WorkInputFault(`line ${String(number)} is not JSON`);
    yield { number, text, value };
  }
}

/** The lines of a text. One that never ends is refused before it fills the memory. */
async function* boundedLines(chunks: AsyncIterable<unknown>): AsyncGenerator<string, void, undefined> {
  let rest = "";
  for await (const chunk of chunks) {
    rest += String(chunk);
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > lineMax) throw new WorkInputFault(`a line has more than ${String(lineMax)} characters`);
  }
  if (rest !== "") yield rest;
}
