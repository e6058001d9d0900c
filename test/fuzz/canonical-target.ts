import assert from "node:assert/strict";
import { canonicalText } from "../json/canonical-text.ts";
import { canonicalValue } from "../../sdk/src/json/canonical-value.ts";
import { inputLimits } from "../../sdk/src/json/input-limits.ts";
import { parseEnvelopes } from "../../sdk/src/json/parse-envelopes.ts";
import { parseJson } from "../../sdk/src/json/parse-json.ts";
import { sameJson } from "../../sdk/src/json/same-json.ts";
import { scanJson } from "../../sdk/src/json/scan-json.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import type { Random } from "../simulation/random.ts";
import { plainTarget } from "./fuzz-target.ts";
import { anyJson, anyText, damaged, deepText } from "./fuzz-values.ts";

const small = { depthMax: 6, bytesMax: 400, membersMax: 20, stringLengthMax: 40, nameLengthMax: 20 };

function textOf(random: Random): string {
  const whole = (): string => JSON.stringify(anyJson(random));
  switch (random.weighed({ whole: 4, damaged: 6, text: 1, deep: 1 })) {
    case "whole":
      return whole();
    case "damaged":
      return damaged(random, whole());
    case "text":
      return anyText(random);
    case "deep":
      return deepText(random, random.pick([3, 60, 70, 5_000]));
  }
}

/** An accepted text is the same value in every spelling. A refused one is refused with the place of the fault. */
function round(random: Random): void {
  const limits = random.pick([inputLimits, small]);
  const text = textOf(random);
  const parsed = parseJson(text, limits);
  assert.deepEqual(parsed, scanJson(text, limits), "the fast way and the slow one agree");
  sendInEnvelope(random, text, limits);
  if (!parsed.ok) {
    const { offset, line, column } = parsed.fault;
    const isInside = offset !== undefined && offset >= 0 && offset <= text.length;
    assert.ok(isInside && (line ?? 0) >= 1 && (column ?? 0) >= 1, "a fault has its place in the text");
    return;
  }
  const { value } = parsed;
  const again = parseJson(canonicalText(value), inputLimits);
  assert.ok(again.ok && sameJson(again.value, value), "its canonical text is read as the same value");
  const copied = canonicalValue(value, limits);
  assert.ok(!copied.ok || sameJson(copied.value, value), "a copy is the same value");
  checkProgramValue(random, limits);
}

/** A text is judged in an envelope as it is alone, or it breaks the envelope. */
function sendInEnvelope(random: Random, text: string, limits: typeof inputLimits): void {
  const frame = `[{"id":1},{"id":2,"input":${text}},{"id":3}]`;
  const sent = parseEnvelopes(random.chance(0.3) ? damaged(random, frame) : frame, limits);
  if (!sent.ok || !Array.isArray(sent.value) || sent.value.length !== 3) return;
  const [fault, { input }] = [sent.faults.get(1), (sent.value as [unknown, { input?: Json }])[1]];
  if (input !== undefined) assert.ok(canonicalValue(input, limits).ok, "an input in an envelope is canonical");
  else if (fault !== undefined) assert.ok(fault.pointer === "" || fault.pointer.startsWith("/"));
}

/** The same from a program: a value that JSON cannot express is refused, and nothing is thrown. */
function checkProgramValue(random: Random, limits: typeof inputLimits): void {
  const odd: readonly unknown[] = [undefined, () => 1, Symbol("x"), 1n, new Date(0), NaN, new Map(), [undefined]];
  const value = random.chance(0.5) ? anyJson(random) : [anyJson(random), random.pick(odd), anyJson(random)];
  const copied = canonicalValue(value, limits);
  if (copied.ok) assert.deepEqual(copied.value, JSON.parse(JSON.stringify(value)) as Json);
}

export const canonicalTarget = plainTarget("canonical JSON", "canonicalFuzz", round);
