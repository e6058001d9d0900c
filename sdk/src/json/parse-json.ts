import type { Json, JsonObject } from "./json.ts";
import { endOfString, hasEscapedName } from "./has-escaped-name.ts";
import type { InputResult } from "./input-fault.ts";
import type { InputLimits } from "./input-limits.ts";
import { utf8Bytes } from "./scalar-bytes.ts";
import { scanJson } from "./scan-json.ts";

/**
 * Parses JSON text into a canonical value, or says what is wrong with it and where. Time is linear in the text and the
 * stack does not grow with it.
 *
 * The engine's own parser does the work, and two cheap passes prove that it lost nothing: one counts the strings in the
 * text, one walks the tree. Only when something is off does a slower scanner read the text again to find the place.
 */
export function parseJson(text: string, limits: InputLimits): InputResult {
  const value = fits(text, limits.bytesMax) ? parseNatively(text, limits) : undefined;
  return value === undefined ? scanJson(text, limits) : { ok: true, value };
}

function fits(text: string, bytesMax: number): boolean {
  // A UTF-16 unit takes one to three bytes, so most texts need no count.
  return text.length <= bytesMax && (3 * text.length <= bytesMax || utf8Bytes(text) <= bytesMax);
}

/** The value, or undefined when the text has a fault or could be misread. */
function parseNatively(text: string, limits: InputLimits): Json | undefined {
  const strings = countStrings(text, limits.depthMax);
  const escapes = text.includes("\\");
  if (strings === undefined || (escapes && hasEscapedName(text))) return undefined;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  // Without escapes, strings hold what the text holds: no NUL, which would be a syntax error, and whole surrogate
  // pairs if the text has them.
  if (!escapes && !text.isWellFormed()) return undefined;
  const check = new TreeCheck(limits, escapes);
  // A duplicate key always costs the tree at least one string, the name that was overwritten.
  return check.value(value) && check.strings === strings ? value : undefined;
}

/**
 * How many strings, names included, a JSON text holds. Undefined when it nests too deep: a megabyte of brackets would
 * cost the engine's parser twenty times the time of an honest megabyte.
 */
function countStrings(text: string, depthMax: number): number | undefined {
  let strings = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0x22) {
      strings++;
      index = endOfString(text, index + 1);
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > depthMax) return undefined;
    } else if (unit === 0x7d || unit === 0x5d) {
      depth--;
    }
  }
  return strings;
}

/** Everything about the values themselves; how deep they nest is known from the text. */
class TreeCheck {
  /** Names and strings met so far. */
  strings = 0;
  #members = 0;
  readonly #limits: InputLimits;
  readonly #escapes: boolean;
  readonly #stringLengthMax: number;

  constructor(limits: InputLimits, escapes: boolean) {
    this.#limits = limits;
    this.#escapes = escapes;
    this.#stringLengthMax = limits.stringLengthMax ?? Infinity;
  }

  value(value: Json): boolean {
    switch (typeof value) {
      case "string":
        return this.#text(value, this.#stringLengthMax);
      case "number":
        // NaN cannot come out of JSON.parse; infinities are outside the safe range.
        return Math.abs(value) <= Number.MAX_SAFE_INTEGER && (value !== 0 || !Object.is(value, -0));
      case "boolean":
        return true;
      default:
        if (value === null) return true;
        return Array.isArray(value) ? this.#elements(value as readonly Json[]) : this.#object(value as JsonObject);
    }
  }

  #elements(elements: readonly Json[]): boolean {
    this.#members += elements.length;
    if (this.#members > this.#limits.membersMax) return false;
    for (const element of elements) {
      if (!this.value(element)) return false;
    }
    return true;
  }

  #object(object: JsonObject): boolean {
    for (const name of Object.keys(object)) {
      if (++this.#members > this.#limits.membersMax || name === "__proto__") return false;
      if (!this.#text(name, this.#limits.nameLengthMax) || !this.value(object[name] as Json)) return false;
    }
    return true;
  }

  #text(text: string, lengthMax: number): boolean {
    this.strings++;
    return text.length <= lengthMax && (!this.#escapes || (text.isWellFormed() && !text.includes("\0")));
  }
}
