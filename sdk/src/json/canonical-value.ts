import type { Canonical } from "./canonical.ts";
import { formatPointer } from "./format-pointer.ts";
import type { InputFaultReason, InputResult } from "./input-fault.ts";
import type { InputLimits } from "./input-limits.ts";
import type { Json } from "./json.ts";
import { measure } from "./measure.ts";

/** `bytes` is the approximate size of the JSON text. It is precise enough to bound a queue or a batch. */
type CanonicalResult =
  | { readonly ok: true; readonly value: Canonical; readonly bytes: number }
  | Extract<InputResult, { ok: false }>;

/**
 * Checks and copies a JavaScript value that a program passes, in one walk. The program may change its objects afterwards.
 *
 * Like JSON.stringify, it omits members that are undefined, symbols, non-enumerable members and names on arrays. Unlike
 * JSON.stringify, it refuses values that JSON would change or lose:
 * - undefined elements and holes of arrays,
 * - functions, symbols and bigints,
 * - objects that are neither plain nor arrays.
 *
 * It never calls toJSON. It reads a getter once, and checks the value that it keeps. An error in a getter is thrown to
 * the caller. A cycle is too deep.
 */
export function canonicalValue(input: unknown, limits: InputLimits): CanonicalResult {
  const copy = new CanonicalCopy(limits);
  const value = copy.value(input, 0);
  if (value === undefined) return { ok: false, fault: { reason: copy.reason, pointer: copy.pointer() } };
  if (copy.maximumBytes() > limits.bytesMax) {
    const measured = measure(value, limits);
    if (!measured.ok) return { ok: false, fault: { reason: measured.reason, pointer: "" } };
  }
  return { ok: true, value: value as Canonical, bytes: copy.approximateBytes() };
}

class CanonicalCopy {
  reason: InputFaultReason = "undefined_value";
  /** The segments of the pointer to the fault, innermost first. Filled only after a fault, so other inputs pay nothing. */
  readonly #segments: string[] = [];
  #members = 0;
  #characters = 0;
  readonly #limits: InputLimits;
  readonly #stringLengthMax: number;

  constructor(limits: InputLimits) {
    this.#limits = limits;
    this.#stringLengthMax = Math.min(limits.stringLengthMax ?? Infinity, limits.bytesMax);
  }

  pointer(): string {
    // An input that is too large as a whole has no place of the fault.
    return this.reason === "too_large" ? "" : formatPointer(this.#segments.toReversed());
  }

  /** A character has at most six bytes (\u0001), a number at most 24. */
  maximumBytes(): number {
    return 6 * this.#characters + 32 * (this.#members + 1);
  }

  approximateBytes(): number {
    return this.#characters + 8 * this.#members;
  }

  /** The copy, or undefined after a fault. */
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
    // Read once: the getter of an element could extend the array.
    const length = input.length;
    if (length === 0) return noElements;
    // The exact size: an array that grows by push keeps room for 16 more elements, and most arrays of a state are short.
    const elements = new Array<Json>(length);
    for (let index = 0; index < length; index++) {
      const element = this.#count() ? this.value(input[index], depth) : undefined;
      if (element === undefined) return this.#leave(String(index));
      elements[index] = element;
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
    this.#segments.push(segment);
    return undefined;
  }
}

/** The copy of every empty array. Values are never changed, and states contain many empty arrays. */
const noElements: readonly Json[] = Object.freeze([]);

type Members = Readonly<Record<string, unknown>>;
