import type { Json } from "./json.ts";
import { formatPointer } from "./format-pointer.ts";
import type { InputFaultReason, InputResult } from "./input-fault.ts";
import type { InputLimits } from "./input-limits.ts";
import { measure } from "./measure.ts";

/** `bytes` is about how many the value has as JSON text: whoever makes batches of such values needs no more. */
export type CanonicalResult =
  { readonly ok: true; readonly value: Json; readonly bytes: number } | Extract<InputResult, { ok: false }>;

/**
 * Checks and copies a JavaScript value that a caller in the same process hands over, in one walk: the caller may
 * change its objects afterwards.
 *
 * Like JSON.stringify it omits members that are undefined and overlooks symbols, non-enumerable members and names on
 * arrays. Unlike it, it refuses whatever would be changed or lost on the way: undefined elements and holes, functions,
 * symbols, bigints, and all objects but plain ones and arrays. No toJSON is ever called. A getter is read once, since
 * a Proxy could not be told from a plain object anyway; what it returned is what was checked, and what it throws
 * reaches the caller. Cycles are too deep.
 */
export function canonicalValue(input: unknown, limits: InputLimits): CanonicalResult {
  const copy = new CanonicalCopy(limits);
  const value = copy.value(input, 0);
  if (value === undefined) return { ok: false, fault: { reason: copy.reason, pointer: copy.pointer() } };
  if (copy.bytesAtMost() > limits.bytesMax) {
    const measured = measure(value, limits);
    if (!measured.ok) return { ok: false, fault: { reason: measured.reason, pointer: "" } };
  }
  return { ok: true, value, bytes: copy.bytesAbout() };
}

class CanonicalCopy {
  reason: InputFaultReason = "undefined_value";
  /** The way to the fault, innermost first: filled in on the way out, so that a good input pays nothing for it. */
  readonly #way: string[] = [];
  #members = 0;
  #characters = 0;
  readonly #limits: InputLimits;
  readonly #stringLengthMax: number;

  constructor(limits: InputLimits) {
    this.#limits = limits;
    this.#stringLengthMax = Math.min(limits.stringLengthMax ?? Infinity, limits.bytesMax);
  }

  pointer(): string {
    // No single place is to blame when the whole is too large.
    return this.reason === "too_large" ? "" : formatPointer(this.#way.toReversed());
  }

  /** No character takes more than six bytes (\u0001), no number more than 24. */
  bytesAtMost(): number {
    return 6 * this.#characters + 32 * (this.#members + 1);
  }

  bytesAbout(): number {
    return this.#characters + 8 * this.#members;
  }

  /** The copy, or undefined when `reason` and the way say why not. */
  value(input: unknown, depth: number): Json | undefined {
    switch (typeof input) {
      case "string":
        return this.#text(input, this.#stringLengthMax, "string_too_long") ? input : undefined;
      case "number":
        return this.#number(input);
      case "boolean":
        return input;
      case "object":
        return input === null ? null : this.#container(input, depth + 1);
      case "undefined":
        return this.#refuse("undefined_value");
      default:
        return this.#refuse("unsupported_type");
    }
  }

  #container(input: object, depth: number): Json | undefined {
    if (depth > this.#limits.depthMax) return this.#refuse("too_deep");
    const prototype: unknown = Object.getPrototypeOf(input);
    if (prototype === Object.prototype || prototype === null) return this.#object(input as Members, depth);
    if (prototype === Array.prototype && Array.isArray(input)) return this.#array(input, depth);
    return this.#refuse("not_plain");
  }

  #array(input: readonly unknown[], depth: number): Json | undefined {
    // Read once: an element's getter may lengthen the array under the walk.
    const length = input.length;
    const elements: Json[] = [];
    for (let index = 0; index < length; index++) {
      const element = this.#count() ? this.value(input[index], depth) : undefined;
      if (element === undefined) return this.#leave(String(index));
      elements.push(element);
    }
    return elements;
  }

  #object(input: Members, depth: number): Json | undefined {
    const members: Record<string, Json> = {};
    for (const name of Object.keys(input)) {
      const given = input[name];
      if (given === undefined) continue;
      if (name === "__proto__") {
        this.#refuse("forbidden_key");
        return this.#leave(name);
      }
      if (!this.#text(name, this.#limits.nameLengthMax, "name_too_long")) return undefined;
      const member = this.#count() ? this.value(given, depth) : undefined;
      if (member === undefined) return this.#leave(name);
      members[name] = member;
    }
    return members;
  }

  #number(input: number): Json | undefined {
    if (input > Number.MAX_SAFE_INTEGER || input < -Number.MAX_SAFE_INTEGER) {
      return this.#refuse(Number.isFinite(input) ? "unsafe_integer" : "not_finite");
    }
    if (input === 0) return Object.is(input, -0) ? this.#refuse("negative_zero") : 0;
    return Number.isNaN(input) ? this.#refuse("not_finite") : input;
  }

  #text(text: string, lengthMax: number, tooLong: "string_too_long" | "name_too_long"): boolean {
    this.#characters += text.length;
    if (text.length > lengthMax) this.#refuse(text.length > this.#limits.bytesMax ? "too_large" : tooLong);
    else if (this.#characters > this.#limits.bytesMax) this.#refuse("too_large");
    else if (!text.isWellFormed()) this.#refuse("lone_surrogate");
    else if (text.includes("\0")) this.#refuse("nul_character");
    else return true;
    return false;
  }

  #count(): boolean {
    if (++this.#members <= this.#limits.membersMax) return true;
    this.#refuse("too_many");
    return false;
  }

  #refuse(reason: InputFaultReason): Json | undefined {
    this.reason = reason;
    return undefined;
  }

  #leave(segment: string): Json | undefined {
    this.#way.push(segment);
    return undefined;
  }
}

type Members = Readonly<Record<string, unknown>>;
