import type { Canonical } from "./canonical.ts";
import { endOfString, hasEscapedName } from "./has-escaped-name.ts";
import type { InputLimits } from "./input-limits.ts";
import type { Json, JsonObject } from "./json.ts";
import { utf8Bytes } from "./scalar-bytes.ts";

/**
 * JSON.parse spends twenty times as long on a megabyte of brackets as on a megabyte of data. Texts above this length are
 * scanned for their depth first.
 */
const shortTextMax = 65_536;

/**
 * The canonical value of a JSON text, or undefined if the text has a fault or JSON.parse could misread it.
 *
 * JSON.parse does the work. Then a walk over the tree checks what JSON.parse accepts. The walk also proves that no
 * member was lost to a duplicate name. The tree has as many characters as the text, or as many strings.
 */
export function parseNatively(text: string, limits: InputLimits): Canonical | undefined {
  if (!fits(text, limits.bytesMax)) return undefined;
  const hasEscapes = text.includes("\\");
  // Without escapes, a string equals its part of the text. It has no NUL, which would be a syntax error, and its
  // surrogates are paired if those of the text are.
  if (hasEscapes ? hasEscapedName(text) : !text.isWellFormed()) return undefined;
  if (text.length > shortTextMax && countStrings(text, limits.depthMax) === undefined) return undefined;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  const walk = new TreeWalk(limits, hasEscapes);
  if (!walk.accepts(value, 0)) return undefined;
  const isComplete = walk.length === text.length || walk.strings === countStrings(text, limits.depthMax);
  return isComplete ? (value as Canonical) : undefined;
}

function fits(text: string, bytesMax: number): boolean {
  // A UTF-16 unit has one to three bytes, so most texts need no count.
  return text.length <= bytesMax && (3 * text.length <= bytesMax || utf8Bytes(text) <= bytesMax);
}

/** The number of strings in a JSON text, names included. Undefined if it nests too deep. */
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

/** Checks the values, names and depth of a tree. */
class TreeWalk {
  /** Names and strings so far. */
  strings = 0;
  /**
   * Minimum number of characters of any JSON text of the tree. NaN if that is not known. A text of this length has no
   * member besides those of the tree, and no white space.
   */
  length = 0;
  #members = 0;
  readonly #limits: InputLimits;
  readonly #hasEscapes: boolean;
  readonly #stringLengthMax: number;

  constructor(limits: InputLimits, hasEscapes: boolean) {
    this.#limits = limits;
    this.#hasEscapes = hasEscapes;
    this.#stringLengthMax = limits.stringLengthMax ?? Infinity;
    if (hasEscapes) this.length = NaN;
  }

  accepts(value: Json, depth: number): boolean {
    switch (typeof value) {
      case "string":
        return this.#acceptsText(value, this.#stringLengthMax);
      case "number":
        this.length += lengthOf(value);
        // JSON.parse never returns NaN, and infinities are outside the safe range.
        return Math.abs(value) <= Number.MAX_SAFE_INTEGER && (value !== 0 || !Object.is(value, -0));
      case "boolean":
        this.length += value ? 4 : 5;
        return true;
      default:
        if (value === null) {
          this.length += 4;
          return true;
        }
        if (depth >= this.#limits.depthMax) return false;
        return Array.isArray(value)
          ? this.#acceptsElements(value as readonly Json[], depth + 1)
          : this.#acceptsMembers(value as JsonObject, depth + 1);
    }
  }

  #acceptsElements(elements: readonly Json[], depth: number): boolean {
    this.#members += elements.length;
    if (this.#members > this.#limits.membersMax) return false;
    // Two brackets, and a comma before every element but the first.
    this.length += elements.length === 0 ? 2 : elements.length + 1;
    for (const element of elements) {
      if (!this.accepts(element, depth)) return false;
    }
    return true;
  }

  #acceptsMembers(object: JsonObject, depth: number): boolean {
    let count = 0;
    for (const name in object) {
      count++;
      if (name === "__proto__" || !this.#acceptsText(name, this.#limits.nameLengthMax)) return false;
      if (!this.accepts(object[name] as Json, depth)) return false;
    }
    // Two brackets, a colon for every member, and a comma before every member but the first.
    this.length += count === 0 ? 2 : 2 * count + 1;
    this.#members += count;
    return this.#members <= this.#limits.membersMax;
  }

  #acceptsText(text: string, lengthMax: number): boolean {
    this.strings++;
    this.length += text.length + 2;
    return text.length <= lengthMax && (!this.#hasEscapes || (text.isWellFormed() && !text.includes("\0")));
  }
}

/** Minimum length of a number in JSON text. NaN if an exponent could make it shorter: 1e3 is 1000. */
function lengthOf(value: number): number {
  if (value % 1000 === 0 ? value !== 0 : value % 1 !== 0) return NaN;
  const size = value < 0 ? -value : value;
  const sign = value < 0 ? 1 : 0;
  if (size < 1_000) return sign + (size < 10 ? 1 : size < 100 ? 2 : 3);
  return sign + (size < 1_000_000 ? (size < 10_000 ? 4 : size < 100_000 ? 5 : 6) : String(size).length);
}
